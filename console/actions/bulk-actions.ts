import type { BulkOptions, BulkReport } from '../../operate/bulk/bulk-verbs.ts';
import { filterOfParams } from '../../operate/jobs/filter-params.ts';
import type { JobFilter } from '../../operate/jobs/job-filter.ts';
import { type BulkAction, verbNamed } from '../../operate/verbs.ts';
import type { JobVerb } from '../../operate/verbs/verb.ts';
import { defined } from '../../shared/job/defined.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import { checkJobId } from '../../shared/job/job-id.ts';
import { bulkRunsOf } from '../bulk-runs.ts';
import { bulkVerb, narrowed } from '../jobs/bulk-choices.ts';
import { filterWords, searchable } from '../jobs/job-query.ts';
import { payloadText } from '../jobs/payload-text.ts';
import { quotedText } from '../jobs/quoted-text.ts';
import type { Action, ActionAnswer, Session } from '../page.ts';
import { inWords } from '../parts/times.ts';
import { COUNTS, remembered } from '../remembered.ts';
import { type Body, flagOf, textOf, contextOf, wantedWhole, wholeOf } from './body-fields.ts';
import { actionOf, samplesOf } from './verb-body.ts';
import { plural } from '../../shared/job/plural.ts';

/**
 * Acting on many: body `{ verb, query, ids?, dryRun, preview?, expected, ratePerSecond?, canary?, limit?, reason?, ... }`. `query` is the address of a list,
 * `ids` are chosen rows of it. A run needs the `expected` count of a dry run, and never touches more jobs than that.
 */
export const BULK_ACTIONS: readonly Action[] = [
  { name: 'bulk', bulk: 'count', run: bulk },
  { name: 'bulk-stop', run: stop },
  { name: 'bulk-resume', bulk: 'place', run: resume },
];

const MAX_CHOSEN = 1_000;
/** The most that a count before an action may read by default: a fraction of a cent, and a few seconds. */
const COUNT_READ_UNITS = 3_000;
const COUNTED_MS = 15_000;

async function bulk(session: Session, body: Body, signal: AbortSignal): Promise<ActionAnswer> {
  const [dryRun, preview] = [flagOf(body, 'dryRun'), flagOf(body, 'preview')];
  // The number is counted before the fields of the dialog are filled in.
  const verb = verbOf(body);
  const action = actionOf(verb, 'many', dryRun && !preview ? { ...samplesOf(verb), ...body } : body, session);
  const filter = narrowed(filterOf(session, body), action.verb);
  const limit = wholeOf(body, 'limit');
  if (preview) return previewed(session, await session.admin.bulk(action, filter, { dryRun: true, limit: 1, signal }));
  if (dryRun) {
    const { count, exact } = await counted(session, { action, filter, all: flagOf(body, 'countAll') }, signal);
    return {
      ok: true,
      count,
      ...(exact ? {} : { more: true }),
      message: scopeWords({ count, exact }, filterWords(filter, session.zone), action),
    };
  }
  const expected = wantedWhole(body, 'expected');
  if (expected < 1) return { ok: false, message: 'Nothing matches: nothing was done.' };
  const options = { ...optionsOf(session, body), limit: Math.min(expected, limit ?? expected) };
  const id = await bulkRunsOf(session).start(action, filter, options);
  if (id === undefined) return { ok: true, message: 'Nothing matched any more: nothing was done.' };
  return {
    ok: true,
    message: `Started: ${bulkVerb(action.verb).doing} ${jobs(expected)}.`,
    bulk: id,
    to: `/bulks/${encodeURIComponent(id)}`,
  };
}

/** The first job that matches, before and after: as much of its payload as its own page shows. */
function previewed({ redact }: Session, { sample }: BulkReport): ActionAnswer {
  if (sample === undefined) return { ok: false, message: 'Nothing matches: there is no job to show.' };
  const [before, after] = [sample.before, sample.after].map((json) => (json === undefined ? undefined : payloadText(json, redact).text));
  const { id } = sample;
  const problem = sample.problem === undefined ? undefined : quotedText(sample.problem, sample, redact);
  return { ok: problem === undefined, message: problem ?? `For example ${id}:`, sample: defined({ before, after }) };
}

async function stop(session: Session, body: Body): Promise<ActionAnswer> {
  const id = bulkIdOf(body);
  const to = `/bulks/${encodeURIComponent(id)}`;
  if (bulkRunsOf(session).stop(id)) return { ok: true, message: 'It stops before its next job.', to };
  return { ok: false, message: 'This console does not run it: stop it where it was started.', to };
}

async function resume(session: Session, body: Body): Promise<ActionAnswer> {
  const id = bulkIdOf(body);
  const ratePerSecond = wholeOf(body, 'ratePerSecond');
  const options = { actor: session.actor, ...defined({ ratePerSecond }) };
  const answer = await bulkRunsOf(session).resume(id, options);
  if (answer === undefined)
    return { ok: false, message: 'There is no such bulk action any more; they are kept for 30 days.', to: '/bulks' };
  const to = `/bulks/${encodeURIComponent(id)}`;
  if (answer === 'here') return { ok: true, message: 'It continues where it stopped.', to };
  return { ok: false, message: `${leftWords(session, answer)}. Nothing was done.`, to };
}

function leftWords({ zone }: Session, { status, heldUntil }: BulkReport): string {
  if (status !== 'running') return `It has ended already: ${status.replace('-', ' ')}`;
  const until = heldUntil === undefined ? '' : ` until ${inWords(heldUntil, zone)}, unless it says before that it lives`;
  return `Another process holds it${until}`;
}

function verbOf(body: Body): JobVerb {
  const verb = verbNamed(textOf(body, 'verb'));
  if (verb === undefined) throw new InvalidInputError('verb', body['verb'], 'Use a verb that acts on many.');
  return verb;
}

function filterOf(session: Session, body: Body): JobFilter {
  const query = body['query'];
  if (typeof query !== 'string' || query.length > 100_000) throw new InvalidInputError('query', query, 'Give the query of a list of jobs.');
  const filter = searchable(filterOfParams(new URLSearchParams(query), session.now()), session);
  const { ids } = body;
  if (ids === undefined) return filter;
  if (!Array.isArray(ids) || ids.length === 0 || ids.length > MAX_CHOSEN) {
    throw new InvalidInputError('ids', ids, `Choose 1 to ${MAX_CHOSEN} rows.`);
  }
  const chosen = ids.map((id, index) => checkJobId(id, `ids[${index}]`));
  return { ...defined({ state: filter.state }), id: chosen };
}

function optionsOf(session: Session, body: Body): BulkOptions {
  const ratePerSecond = wholeOf(body, 'ratePerSecond');
  return {
    ...contextOf(session, body),
    ...defined({ ratePerSecond }),
    ...(flagOf(body, 'canary') ? { canary: true } : {}),
  };
}

function bulkIdOf(body: Body): string {
  const id = textOf(body, 'id');
  if (id === undefined) throw new InvalidInputError('id', body['id'], 'Give the id of a bulk action.');
  return id;
}

interface Counted {
  readonly count: number;
  readonly exact: boolean;
}

class CountStopped extends InvalidInputError {
  constructor() {
    super('dryRun', 'stopped', 'Counting was stopped: count again.');
  }
}

/** The verbs of one page mostly apply to the same jobs, so their count is cached for a moment: no action exceeds it. */
async function counted(
  session: Session,
  asked: { readonly action: BulkAction; readonly filter: JobFilter; readonly all: boolean },
  signal: AbortSignal,
): Promise<Counted> {
  const { admin, now } = session;
  const key = `${COUNTS}${asked.all ? 'all' : 'some'} ${JSON.stringify(asked.filter)}`;
  try {
    return await remembered({ owner: admin, key, ttlMs: COUNTED_MS, now: now() }, async () => countNow(session, asked, signal));
  } catch (error) {
    // The count of another request, which has ended.
    if (error instanceof CountStopped && !signal.aborted) return counted(session, asked, signal);
    throw error;
  }
}

async function countNow({ admin }: Session, { action, filter, all }: Parameters<typeof counted>[1], signal: AbortSignal): Promise<Counted> {
  const enough = new AbortController();
  const { matched, complete } = await admin.bulk(action, filter, {
    dryRun: true,
    signal: AbortSignal.any([signal, enough.signal]),
    onProgress: ({ readUnits }) => {
      if (!all && readUnits >= COUNT_READ_UNITS) enough.abort();
    },
  });
  if (signal.aborted) throw new CountStopped();
  return { count: matched, exact: complete };
}

function scopeWords({ count, exact }: Counted, filter: string, action: BulkAction): string {
  const many = exact ? jobs(count) : `at least ${jobs(count)}`;
  const rest = exact ? '' : ' Counting ended at its read budget: count all, or act on these alone.';
  return `${bulkVerb(action.verb).label}: ${many}. Scope: ${filter}.${rest}`;
}

function jobs(count: number): string {
  return `${count.toLocaleString('en')} ${plural(count, 'job')}`;
}
