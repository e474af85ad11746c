import { jobRef } from '../../../ports/journal.ts';
import { type BatchCounts, type BatchHead, dueCallbacks, newsForParent, sumCounts } from '../model/batch-progress.ts';
import { defined } from '../../../job/defined.ts';
import { StoreUnavailableError } from '../../../job/errors.ts';
import { TOKEN_TRUSTED_MS } from '../../../job/lease.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Entropy } from '../../../ports/entropy.ts';
import type { Tables } from '../../../ports/tables.ts';
import { countsOf, readBatch } from './batch-rows.ts';
import { type SendDeps, sendHints } from '../../../store/send-hints.ts';
import { type BatchNews, tellBatch } from './tell-batch.ts';

/** What settling a batch works with. */
export interface SettleDeps extends SendDeps {
  readonly deployment: { readonly settings: { readonly redispatchAfterMs: number } };
  readonly tables: Tables;
  readonly clock: Clock;
  readonly entropy: Entropy;
}

/** A batch after a check, with its counters; undefined if it does not exist (any more). */
export type SettledBatch = { readonly head: BatchHead; readonly counts: BatchCounts } | undefined;

/** Other processes end children of the same batch at the same time; each of them checks too, and the sweeper checks again. */
const MAX_LOOKS = 4;
/** How deep batches are nested at most, as far as telling goes. */
const MAX_DEPTH = 32;

/**
 * Reports the due milestones of a batch and of its parents: enqueues callbacks, updates parents. Safe to call at any time and repeatedly: each
 * milestone is reported once. Costs one read if there is nothing to report.
 */
export async function settleBatch(deps: SettleDeps, id: string): Promise<SettledBatch> {
  const own = await settleOne(deps, id);
  let parent = own?.told;
  for (let depth = 0; parent !== undefined && depth < MAX_DEPTH; depth++) parent = (await settleOne(deps, parent))?.told;
  return own && { head: own.head, counts: own.counts };
}

type Settled = { readonly head: BatchHead; readonly counts: BatchCounts; readonly told: string | undefined } | undefined;

/** Settles one batch, and names its parent if the row of that was updated. */
async function settleOne(deps: SettleDeps, id: string): Promise<Settled> {
  const { tables, clock, entropy, deployment } = deps;
  let told: string | undefined;
  for (let look = 0; ; look++) {
    const seen = await readBatch(tables, id);
    if (seen === undefined) return undefined;
    const { head } = seen;
    const counts = sumCounts(seen.counting.map(countsOf));
    const news = newsOf(head, counts);
    if (news === undefined || look === MAX_LOOKS) return { head, counts, told };
    const now = clock.now();
    const { redispatchAfterMs } = deployment.settings;
    const terms = { token: entropy.token(), now, redispatchAfterMs };
    // Asked again with the same token: if the first one was applied and its reply lost, that is the answer, while the token is known.
    const outcome = await tellBatch(tables, seen, news, terms).catch((error: unknown) => {
      if (!(error instanceof StoreUnavailableError) || clock.now() > now + TOKEN_TRUSTED_MS) throw error;
      return tellBatch(tables, seen, news, terms);
    });
    if (outcome.result === 'lost') continue;
    if (news.forParent !== undefined) told = head.parent;
    for (const job of outcome.jobs) deps.journal.record({ event: 'enqueued', worker: job.worker, job: jobRef(job) });
    await sendHints(deps, outcome.jobs, now);
  }
}

function newsOf(head: BatchHead, counts: BatchCounts): BatchNews | undefined {
  const due = dueCallbacks(head, counts);
  const forParent = head.state === 'sealed' ? newsForParent(head, counts) : undefined;
  if (due.length === 0 && forParent === undefined) return undefined;
  return { due, ...defined({ forParent }) };
}
