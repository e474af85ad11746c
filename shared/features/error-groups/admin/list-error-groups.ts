import { defined } from '../../../job/defined.ts';
import { groupState, hasRecurred, openCount, type StoredGroup } from '../model/error-group.ts';
import { InvalidInputError } from '../../../job/errors.ts';
import { checkOptions } from '../../../job/names.ts';
import type { RowKey, Tables } from '../../../ports/tables.ts';
import { decodeErrorGroup, ERROR_GROUPS, errorGroupKey } from '../store/error-group-rows.ts';
import { countOpen, settleByCount } from '../store/settle-error-group.ts';
import type { OperatorDeps } from '../../../operator/operator-deps.ts';
import type { ErrorGroup, ErrorGroupPage, ErrorGroupVerbs } from './error-group.ts';

type ListOptions = NonNullable<Parameters<ErrorGroupVerbs['errorGroups']>[0]>;

const DEFAULT_LIMIT = 50;
const MOST = 1_000;
const STATES = ['open', 'ignored', 'resolved', 'closed', 'all'] as const;
const READ_PAGE = 1_000;
/** The most dead letters to list: reading all of them would cost too much. */
const EXACT_TO = 10_000;
/** About 16,000 groups: this many are sorted together; the rest come on later pages, sorted among themselves. */
const READ_UNITS = 2_000;
/** The largest instant of a Date: the first group of a range sorts after it. */
const BEHIND_ALL = 8.64e15;

/** Where a page ends: in which stretch of the partition, and behind which group of it. */
interface Cursor {
  readonly stretch: string;
  readonly lastSeen: number;
  readonly fingerprint: string;
}

/** Creates the verbs for error groups. */
export function errorGroupVerbs(deps: OperatorDeps): ErrorGroupVerbs {
  const { tables, clock } = deps;
  return {
    errorGroups: async (options = {}) => listErrorGroups(deps, options),
    async errorGroup(fingerprint) {
      if (typeof fingerprint !== 'string' || fingerprint === '') {
        throw new InvalidInputError('fingerprint', fingerprint, 'Give the `fingerprint` of an error group or a dead letter.');
      }
      const row = await tables.get('control', errorGroupKey(fingerprint));
      if (row === undefined) return undefined;
      const group = decodeErrorGroup(row);
      const { count } = await countOpen(tables, fingerprint, { atMost: EXACT_TO });
      // A user with read access only still sees the right number.
      await settleByCount(deps, row, count, EXACT_TO).catch(() => {});
      return shown(group, count > EXACT_TO ? Math.max(count, openCount(group)) : count, clock.now());
    },
  };
}

async function listErrorGroups({ tables, clock }: Pick<OperatorDeps, 'tables' | 'clock'>, options: ListOptions): Promise<ErrorGroupPage> {
  const { state, type, limit, cursor } = checked(options);
  const stretch = await readStretch(tables, cursor?.stretch ?? '');
  const wanted = stretch.groups
    .map((group) => shown(group, openCount(group), clock.now()))
    .filter((group) => (state === 'all' || group.state === state) && (type === undefined || group.type === type))
    .filter((group) => cursor === undefined || compare(group, { ...cursor, lastSeen: new Date(cursor.lastSeen) }) > 0)
    .toSorted(compare);
  const groups = wanted.slice(0, limit);
  const last = groups.at(-1);
  const next =
    wanted.length > limit && last !== undefined
      ? { stretch: cursor?.stretch ?? '', lastSeen: last.lastSeen.getTime(), fingerprint: last.fingerprint }
      : stretch.end === undefined
        ? undefined
        : { stretch: stretch.end, lastSeen: BEHIND_ALL, fingerprint: '' };
  return { groups, readUnits: stretch.readUnits, ...(next === undefined ? {} : { next: encode(next) }) };
}

/** Newest first. */
function compare(a: Pick<ErrorGroup, 'lastSeen' | 'fingerprint'>, b: Pick<ErrorGroup, 'lastSeen' | 'fingerprint'>): number {
  return b.lastSeen.getTime() - a.lastSeen.getTime() || (a.fingerprint < b.fingerprint ? -1 : a.fingerprint > b.fingerprint ? 1 : 0);
}

async function readStretch(
  tables: Tables,
  start: string,
): Promise<{ readonly groups: readonly StoredGroup[]; readonly end?: string; readonly readUnits: number }> {
  const groups: StoredGroup[] = [];
  let readUnits = 0;
  let after: RowKey | undefined = start === '' ? undefined : errorGroupKey(start);
  do {
    const page = await tables.query({
      table: 'control',
      partition: ERROR_GROUPS,
      limit: READ_PAGE,
      ...defined({ after }),
    });
    groups.push(...page.rows.map(decodeErrorGroup));
    readUnits += page.readUnits;
    after = page.cursor;
  } while (after !== undefined && readUnits < READ_UNITS);
  return { groups, readUnits, ...(after === undefined ? {} : { end: String(after['sk']) }) };
}

function shown(group: StoredGroup, open: number, now: number): ErrorGroup {
  const { settled: _settled, leftAt: _left, settledAt: _upTo, firstSeen, lastSeen, ignoredUntil, resolvedAt, ...kept } = group;
  return {
    ...kept,
    seen: Math.max(kept.seen, open + kept.redriven + kept.deleted),
    open,
    state: groupState(group, open, now),
    ...(hasRecurred(group) ? { cameBack: true } : {}),
    firstSeen: new Date(firstSeen),
    lastSeen: new Date(lastSeen),
    ...(ignoredUntil === undefined ? {} : { ignoredUntil: new Date(ignoredUntil) }),
    ...(resolvedAt === undefined ? {} : { resolvedAt: new Date(resolvedAt) }),
  };
}

interface Checked {
  readonly state: (typeof STATES)[number];
  readonly type: string | undefined;
  readonly limit: number;
  readonly cursor: Cursor | undefined;
}

function checked(options: ListOptions): Checked {
  checkOptions(options, ['state', 'type', 'limit', 'after'], 'options');
  const { state = 'open', type, limit = DEFAULT_LIMIT, after } = options;
  if (!STATES.includes(state)) throw new InvalidInputError('state', state, `Use one of: ${STATES.join(', ')}.`);
  if (type !== undefined && typeof type !== 'string') throw new InvalidInputError('type', type, 'Give the name of a job type.');
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST)
    throw new InvalidInputError('limit', limit, `Use a whole number from 1 to ${MOST}.`);
  return { state, type, limit, cursor: after === undefined ? undefined : decode(after) };
}

const encode = (cursor: Cursor): string => Buffer.from(JSON.stringify(cursor)).toString('base64url');

function decode(after: unknown): Cursor {
  try {
    const { stretch, lastSeen, fingerprint } = JSON.parse(Buffer.from(String(after), 'base64url').toString()) as Cursor;
    if (typeof stretch === 'string' && Math.abs(lastSeen) <= BEHIND_ALL && typeof fingerprint === 'string')
      return { stretch, lastSeen, fingerprint };
  } catch {
    // Answered below, like everything else that is no cursor.
  }
  throw new InvalidInputError('after', after, 'Give the `next` of an earlier page.');
}
