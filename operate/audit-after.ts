import { UnauditedError } from '../shared/job/errors.ts';
import { checkJobId } from '../shared/job/job-id.ts';
import { defined } from '../shared/job/defined.ts';
import type { OperatorAct } from '../shared/ports/operator-act.ts';
import { checkText } from '../shared/job/names.ts';
import { actorOf } from '../shared/operator/act.ts';
import { locate } from '../shared/store/locate.ts';
import type { AdminDeps } from './admin-deps.ts';
import { recordWrites } from '../shared/features/operator-records.ts';

/** Awaits a verb on one job that does not write its own audit entry, and writes one if its outcome is in `done`. Throws UnauditedError. */
export async function auditAfter<Outcome extends string>(
  deps: AdminDeps,
  {
    method,
    done,
    id,
    context,
  }: { readonly method: string; readonly done: readonly string[]; readonly id: string; readonly context?: Partial<OperatorAct> },
  work: Promise<Outcome>,
): Promise<Outcome> {
  const outcome = await work;
  if (deps.unaudited !== true && done.includes(outcome)) await noted(method, outcome, async () => noteJob(deps, method, id, context));
  return outcome;
}

/** The verb has succeeded: a plain store error would make the caller repeat it. */
export async function noted(verb: string, answer: unknown, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (cause) {
    throw new UnauditedError(verb, answer, cause);
  }
}

/** Writes an entry. Default actor: that of the admin. An empty actor or reason is none. */
export async function note(deps: AdminDeps, { actor, reason, ...entry }: Partial<OperatorAct> & Pick<OperatorAct, 'verb'>): Promise<void> {
  const said = { actor: actorOf(deps, actor), ...defined({ reason: checkText(reason, 'reason') }) };
  const act = { ...said, ...entry, at: deps.clock.now() };
  for (const write of recordWrites(act, deps.entropy.token())) await deps.tables.write(write);
}

async function noteJob(deps: AdminDeps, verb: string, id: string, context: Partial<OperatorAct> = {}): Promise<void> {
  const found = await locate(deps.tables, checkJobId(id));
  await note(deps, { verb, jobId: id, ...defined({ type: found?.job.type, tenant: found?.job.tenant }), ...context });
}
