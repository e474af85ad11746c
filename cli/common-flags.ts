import { defined } from '../shared/job/defined.ts';
import type { Call } from './call.ts';
import type { Flag } from './verb.ts';

/** Options that every verb takes. */
export const COMMON_FLAGS: readonly Flag[] = [
  { flags: '--json', doc: 'one JSON document for scripts' },
  { flags: '--zone <zone>', doc: "IANA time zone in which times are shown; default: the machine's" },
  { flags: '--no-color', doc: 'no colours, as NO_COLOR in the environment' },
];

/** Which deployments are meant. */
export const PLACE_FLAGS: readonly Flag[] = [
  {
    flags: '--stack <stack>',
    doc: 'the deployment of a CloudFormation stack, by its output Operator; <stack>/<construct> where it has several',
    many: true,
  },
  {
    flags: '--env-file <file>',
    doc: 'the deployment whose NIGHTCREW_ variables a file holds; default: the environment of the process',
    many: true,
  },
];

/** Options of verbs that change something. */
export const WRITE_FLAGS: readonly Flag[] = [
  { flags: '--actor <name>', doc: 'the actor, for the audit; default: the user who is logged in' },
];

/** An option of verbs with an entry in the audit. */
export const REASON_FLAG: Flag = { flags: '--reason <text>', doc: 'why, for the audit' };

/** The actor and the reason, for the audit. */
export function contextOf(call: Call): { readonly actor: string; readonly reason?: string } {
  return { actor: call.actor, ...defined({ reason: call.text('reason') }) };
}

/** Options of lists of runs, newest first. */
export const RECENT_FLAGS: readonly Flag[] = [
  { flags: '--limit <n>', doc: 'at most 1000; default 20' },
  { flags: '--before <id>', doc: 'those that started before this one' },
];

/** What RECENT_FLAGS say. */
export function recentOf(call: Call): { readonly limit: number; readonly before?: string } {
  return { limit: call.whole('limit') ?? 20, ...defined({ before: call.text('before') }) };
}
