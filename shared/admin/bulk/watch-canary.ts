import { RowUnreadableError } from '../../core/errors.ts';
import type { Row, Tables } from '../../ports/tables.ts';
import { locate } from '../../store/locate.ts';
import type { AdminDeps } from '../admin-deps.ts';
import { type BulkAction, verbNamed } from '../verbs.ts';

/** A job that has completed is nowhere until its invocation writes History, which then may tell that it was cancelled. */
const HISTORY_WITHIN_MS = 30_000;

/** One look at a canary: `gone` is nowhere, a name is how it ended, undefined is on its way. */
type Look = 'gone' | 'completed' | (string & {}) | undefined;

/** Says after each look how a canary ended; undefined: it is still on its way. `completed` lets the others go, anything else does not. */
export function canaryWatch(deps: AdminDeps, canary: { readonly id: string; readonly type?: string; readonly until: number }) {
  const { tables, clock, deployment, jobTypes } = deps;
  const level = jobTypes?.get(canary.type ?? '')?.history ?? deployment.history;
  let goneSince: number | undefined;
  return async (): Promise<string | undefined> => {
    const look = await lookAt(tables, canary.id);
    const now = clock.now();
    const isLate = now >= canary.until;
    if (look !== 'gone') return look ?? (isLate ? 'late' : undefined);
    goneSince ??= now;
    return level === 'off' || isLate || now >= goneSince + HISTORY_WITHIN_MS ? 'completed' : undefined;
  };
}

/** Whether a job can tell within `withinMs` whether it completes: one that is let go and only waits then cannot. */
export function canTell(verb: BulkAction['verb'], row: Row, terms: { readonly now: number; readonly withinMs: number }): boolean {
  return verbNamed(verb).canary?.canTell?.(row, terms) ?? true;
}

async function lookAt(tables: Tables, id: string): Promise<Look> {
  try {
    const found = await locate(tables, id);
    if (found === undefined) return 'gone';
    if (found.state === 'dead') return 'dead';
    return found.state === 'finished' ? found.job.outcome : undefined;
  } catch (error) {
    if (error instanceof RowUnreadableError) return 'unreadable';
    throw error;
  }
}
