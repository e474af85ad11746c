import { defined } from '../../../shared/job/defined.ts';
import type { StoreFault } from '../simulation/faults/fault-plan.ts';
import type { Move } from './requests.ts';

/**
 * What may go wrong at a request. `lost-reply`: it is applied and repeated; `lost-for-good`: applied, and its caller gets an error;
 * `late-write`: applied some time later, beside its repetition; `old-read`: an answer from before the last change; the others end the actor.
 */
export const ORDER_FAULTS = ['lost-reply', 'lost-for-good', 'late-write', 'old-read', 'gone-before', 'gone-after'] as const;
export type OrderFault = (typeof ORDER_FAULTS)[number];

/** A fault at a request of an actor, counted from 1. */
export interface Struck {
  readonly actor: string;
  readonly at: number;
  /** What that request asks for, as `Move.kind`; absent: whatever it is. */
  readonly kind?: string;
  readonly fault: OrderFault;
}

/** What they are called where a world strikes. */
export const STRIKES: Readonly<Record<OrderFault, StoreFault | undefined>> = {
  'lost-reply': 'lost-reply',
  'lost-for-good': 'lost-for-good',
  'late-write': 'late-write',
  'old-read': undefined,
  'gone-before': 'crash-before',
  'gone-after': 'crash-after',
};

/** What can go wrong at a move. A read changes nothing, so that losing its reply or its reader is no other order. */
export function faultsOf(move: Move, stale: boolean): readonly OrderFault[] {
  if (move.queue) return move.what === 'send' ? ['lost-reply', 'gone-before', 'gone-after'] : [];
  if (move.writes.size > 0) return ['lost-reply', 'lost-for-good', 'late-write', 'gone-before', 'gone-after'];
  return stale ? ['old-read'] : [];
}

export const faultText = (faults: readonly Struck[]): string =>
  faults.map(({ actor, at, kind, fault }) => `${actor}${at}${kind === undefined ? '' : `.${kind}`}:${fault}`).join(',');

/** Reads what `faultText` writes; undefined for anything else. */
export function parseFaults(text: string): readonly Struck[] | undefined {
  const deps = text === '' ? [] : text.split(',').map((part) => /^([A-Z])(\d{1,3})(?:\.([a-zA-Z+-]+))?:(.+)$/.exec(part));
  const faults = deps.map((part) => ({
    actor: part?.[1] ?? '',
    at: Number(part?.[2]),
    ...defined({ kind: part?.[3] }),
    fault: part?.[4] as OrderFault,
  }));
  return faults.every(({ actor, fault }) => actor !== '' && ORDER_FAULTS.includes(fault)) ? faults : undefined;
}
