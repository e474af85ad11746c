import { UnauditedError } from '../core/errors.ts';
import { checkJobId } from '../core/job-id.ts';
import { defined } from '../core/defined.ts';
import { audit, type AuditEntry } from '../features/audit/store/audit.ts';
import { locate } from '../store/locate.ts';
import type { AdminDeps } from './admin-deps.ts';

/** Waits for a verb on one job whose transaction has no entry for the audit, and writes one if its outcome is one of `done`. Throws UnauditedError. */
export async function auditAfter<Outcome extends string>(
  deps: AdminDeps,
  {
    method,
    done,
    id,
    told,
  }: { readonly method: string; readonly done: readonly string[]; readonly id: string; readonly told?: Partial<AuditEntry> },
  work: Promise<Outcome>,
): Promise<Outcome> {
  const outcome = await work;
  if (deps.unaudited !== true && done.includes(outcome)) await noted(method, outcome, async () => noteJob(deps, method, id, told));
  return outcome;
}

/** The verb has its answer by now: who is told only that the store failed would do it again. */
export async function noted(verb: string, answer: unknown, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (cause) {
    throw new UnauditedError(verb, answer, cause);
  }
}

/** Writes an entry. The actor is that of the admin unless the entry says another. */
export async function note(deps: AdminDeps, entry: Partial<AuditEntry> & Pick<AuditEntry, 'verb'>): Promise<void> {
  await audit(deps.tables, { actor: deps.actor ?? 'operator', ...entry, at: deps.clock.now() }, deps.entropy.token());
}

async function noteJob(deps: AdminDeps, verb: string, id: string, told: Partial<AuditEntry> = {}): Promise<void> {
  const found = await locate(deps.tables, checkJobId(id));
  await note(deps, { verb, jobId: id, ...defined({ type: found?.job.type, tenant: found?.job.tenant }), ...told });
}
