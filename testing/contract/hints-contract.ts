import type { ContractCheck, HintsSubject } from './contract.ts';
import { GROUPS } from './hints-groups.ts';
import { MESSAGES } from './hints-messages.ts';

/** Everything that the ports `HintSender`, `Inbox` and `Backlog` promise, as checks for any test runner; see `tablesContract`. */
export const hintsContract: readonly ContractCheck<HintsSubject>[] = [...MESSAGES, ...GROUPS];
