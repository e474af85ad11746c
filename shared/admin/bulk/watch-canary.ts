import { RowUnreadableError } from '../../core/errors.ts';
import type { Tables } from '../../ports/tables.ts';
import { locate } from '../../store/locate.ts';

/** What became of a canary so far; undefined: it is still on its way. `completed` lets the others go, anything else does not. */
export async function canaryEnd(tables: Tables, id: string, keepsHistory: boolean): Promise<string | undefined> {
  try {
    const found = await locate(tables, id);
    // A job that has just completed is nowhere until its invocation writes History.
    if (found === undefined) return keepsHistory ? undefined : 'completed';
    if (found.state === 'dead') return 'dead';
    return found.state === 'finished' ? found.job.outcome : undefined;
  } catch (error) {
    if (error instanceof RowUnreadableError) return 'unreadable';
    throw error;
  }
}
