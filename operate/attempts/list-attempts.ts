import { defined } from '../../shared/job/defined.ts';
import { fingerprint } from '../../shared/job/fingerprint.ts';
import { attemptEntry } from '../../shared/features/history/model/history-entry.ts';
import { readable } from '../../shared/store/row-codec.ts';
import type { Row, Tables } from '../../shared/ports/tables.ts';
import { decodeAttempt, isAttemptRow } from '../../shared/store/attempt-rows.ts';
import type { AdminDeps } from '../admin-deps.ts';
import { hasOneOf, isWithinSpan, matchesTenant, matchesText } from '../jobs/match-row.ts';
import { encodeMarked } from '../marked-cursor.ts';
import { type AttemptCursor, decodeCursor, type Slowness } from './attempt-cursor.ts';
import type { AttemptListOptions, AttemptPage, AttemptVerbs, ListedAttempt } from './attempt-filter.ts';
import { type CheckedAttempts, checkAttempts } from './check-attempts.ts';
import { daysOf, isBehind, walkDays } from './walk-days.ts';

/** The verb of operators; with a `tenant` the attempts of all others are not there. */
export function attemptVerbs(deps: AdminDeps, tenant?: string): AttemptVerbs {
  return { attempts: async (options = {}) => listAttempts(deps, tenant === undefined ? options : { ...options, tenant }) };
}

interface Found {
  readonly attempts: readonly ListedAttempt[];
  readonly next?: AttemptCursor;
  readonly readUnits: number;
}

async function listAttempts({ tables, clock }: AdminDeps, options: AttemptListOptions): Promise<AttemptPage> {
  const asked = checkAttempts(options, clock.now());
  const { mark, order, dueFrom, dueTo } = asked;
  const start = options.after === undefined ? undefined : decodeCursor(mark, options.after);
  const { next, ...found } = await (order === 'slowest-first' ? slowest(tables, asked, start) : inOrder(tables, asked, start));
  return {
    ...found,
    ...(next === undefined ? {} : { next: encodeMarked(mark, next) }),
    order,
    dueFrom: new Date(dueFrom),
    dueTo: new Date(dueTo),
  };
}

/** As their keys come. */
async function inOrder(tables: Tables, asked: CheckedAttempts, start: AttemptCursor | undefined): Promise<Found> {
  const attempts: ListedAttempt[] = [];
  let readUnits = 0;
  for await (const step of walkDays(tables, asked, start)) {
    readUnits += step.readUnits;
    for (const { row, place } of step.rows) {
      const attempt = matched(asked, row);
      if (attempt === undefined) continue;
      attempts.push(attempt);
      if (attempts.length >= asked.limit) return { attempts, next: place, readUnits };
    }
    if (step.reached !== undefined && readUnits >= asked.maxReadUnits) return { attempts, next: step.reached, readUnits };
  }
  return { attempts, readUnits };
}

type Ranked = Slowness & { readonly attempt: ListedAttempt };

/**
 * The slowest of the part of the range that the read units cover; what does not fit comes with the next page, which reads the part again, and then the next
 * part. So each attempt comes once, and one page has the whole order if its read units cover the range.
 */
async function slowest(tables: Tables, asked: CheckedAttempts, start: AttemptCursor | undefined): Promise<Found> {
  const ranked: Ranked[] = [];
  let [readUnits, end, more] = [0, start?.end, false];
  const cut = (): void => {
    ranked.sort((a, b) => (isSlower(a, b) ? -1 : 1));
    more ||= ranked.length > asked.limit;
    ranked.splice(asked.limit);
  };
  for await (const step of walkDays(tables, asked, start)) {
    readUnits += step.readUnits;
    for (const { row, place } of step.rows) {
      if (start?.end !== undefined && isBehind(place, start.end)) break;
      const attempt = matched(asked, row);
      if (attempt === undefined) continue;
      const one = { attempt, runMs: attempt.runMs, id: String(row['id']) };
      if (start?.below === undefined || isSlower(start.below, one)) ranked.push(one);
    }
    if (ranked.length > 2 * asked.limit) cut();
    if (step.reached === undefined) continue;
    if (start?.end === undefined ? readUnits < asked.maxReadUnits : isBehind(start.end, step.reached)) continue;
    end ??= step.reached;
    break;
  }
  cut();
  const attempts = ranked.map(({ attempt }) => attempt);
  const last = ranked.at(-1);
  if (more && last !== undefined) {
    const { day = daysOf(asked)[0] ?? '', after } = start ?? {};
    return { attempts, next: { day, ...defined({ after, end }), below: { runMs: last.runMs, id: last.id } }, readUnits };
  }
  return { attempts, ...defined({ next: end }), readUnits };
}

function isSlower(a: Slowness, b: Slowness): boolean {
  return a.runMs === b.runMs ? a.id > b.id : a.runMs > b.runMs;
}

/** The attempt of a row, if it is one that is asked for. A row that cannot be read is left out: it must not hide its neighbours. */
function matched({ filter, outcomes, minRunMs, ...range }: CheckedAttempts, row: Row): ListedAttempt | undefined {
  const { type, worker, reason, errorName, fingerprint: prints } = filter.values;
  if (!isAttemptRow(row) || !isWithinSpan(range, row['endedAt']) || !matchesTenant(filter.tenant, row['tenant'])) return undefined;
  if (!Object.entries({ type, worker, reason, errorName, outcome: outcomes }).every(([name, values]) => hasOneOf(values, row[name]))) {
    return undefined;
  }
  if (filter.hasError !== undefined && filter.hasError !== (typeof row['errorName'] === 'string')) return undefined;
  if (!matchesText(filter, row)) return undefined;
  const attempt = listed(row);
  return attempt !== undefined && attempt.runMs >= minRunMs && hasOneOf(prints, attempt.fingerprint) ? attempt : undefined;
}

function listed(row: Row): ListedAttempt | undefined {
  const [record] = readable(() => decodeAttempt(row));
  if (record === undefined) return undefined;
  const { log: _log, error, ...entry } = attemptEntry(record);
  return {
    jobId: record.jobId,
    type: record.type,
    worker: record.worker,
    ...defined({ tenant: record.tenant }),
    ...entry,
    runMs: Math.max(0, record.endedAt - record.startedAt),
    ...(error === undefined ? {} : { error: { name: error.name, message: error.message, at: error.at } }),
    ...(record.error === undefined ? {} : { fingerprint: fingerprint(record.type, record.error) }),
  };
}
