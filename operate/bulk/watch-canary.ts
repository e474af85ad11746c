import { RowUnreadableError } from '../../shared/job/errors.ts';
import type { Row, Tables } from '../../shared/ports/tables.ts';
import { locate } from '../../shared/store/locate.ts';
import type { AdminDeps } from '../admin-deps.ts';
import { type BulkAction, verbNamed } from '../verbs.ts';

/** A completed job is in no table until its invocation writes History, which may show that it was cancelled. */
const HISTORY_WITHIN_MS = 30_000;

/** One check of a canary: `gone` is in no table, a name is how it ended, undefined is still under way. */
type Look = 'gone' | 'completed' | (string & {}) | undefined;

/** Returns after each check how a canary ended; undefined: still under way. `completed` releases the other jobs, any other result does not. */
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

/** Whether a job can complete within `withinMs`: one that is resumed and then waits cannot. */
export function canTell(action: BulkAction, row: Row, terms: { readonly now: number; readonly withinMs: number }): boolean {
  return verbNamed(action.verb).canary?.canTell?.(row, { ...terms, action }) ?? true;
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
