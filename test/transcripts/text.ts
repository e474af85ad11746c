import { NightcrewError } from '../../shared/job/errors.ts';
import type { Hint } from '../../shared/job/hint.ts';
import type { Condition, Query, Row, RowKey, Scan, SingleWrite, Write, WriteWindow } from '../../shared/ports/tables.ts';

/** Of a row's key: it stands before the attributes. */
const KEYS: ReadonlySet<string> = new Set(['id', 'pk', 'sk']);
/** Between the parts of a request. */
export const SEPARATOR = ' | ';
const TESTS = { equals: '=', beginsWith: 'begins with', atMost: '<=' } as const;

/** Rows by name, as they were last read or written. Of a row that moves or is put again, only what changes is text. */
export type KnownRows = Map<string, Row>;

/** The key of a row; a job has the same name in every table. */
export const nameOf = ({ id, pk, sk, due }: Row): string =>
  pk === undefined ? String(id ?? String(due).split('#').at(-1)) : `${String(pk)}/${String(sk)}`;

export const isPresent = (part: string): boolean => part !== '';
export const keyText = (key: RowKey): string => Object.values(key).join('/');

/** A write in the store's words: the row, the attributes that change, without their values, and the condition. */
export function writeText(write: SingleWrite | Write, known: KnownRows): string {
  const { op, table, condition } = write;
  const quiet = 'quiet' in write ? 'quiet ' : '';
  const row = known.get(nameOf(write.op === 'put' ? write.row : write.key)) ?? {};
  return `${quiet}${op} ${table} ${changeText(write, known)}${condition === undefined ? '' : ` if ${conditionText(condition, row)}`}`;
}

function changeText(write: SingleWrite | Write, known: KnownRows): string {
  if (write.op === 'put') return rowText(write.row, known);
  if (write.op !== 'update') return keyText(write.key);
  const added = Object.entries(write.add ?? {}).map(([name, by]) => `${by < 0 ? '-' : '+'}${name}`);
  return [`${keyText(write.key)}:`, ...Object.keys(write.set), ...added, ...(write.remove ?? []).map((name) => `no ${name}`)].join(' ');
}

/** A row that is put: what differs from the known one. */
export function rowText(row: Row, known: KnownRows): string {
  const before = known.get(nameOf(row)) ?? {};
  const changed = Object.keys(row).filter((name) => row[name] !== before[name] && !KEYS.has(name));
  const gone = Object.keys(before).filter((name) => row[name] === undefined && !KEYS.has(name));
  return [`${nameOf(row)}:`, ...changed, ...gone.map((name) => `no ${name}`)].join(' ');
}

export function queryText({ table, index, partition, ...others }: Query): string {
  return `query ${table}${index === undefined ? '' : `.${index}`} ${partition} ${optionsText(others)}`;
}

export function scanText({ table, filter, ...others }: Scan): string {
  return [`scan ${table}`, optionsText(others), filter === undefined ? '' : `where ${conditionText(filter, {})}`]
    .filter(isPresent)
    .join(' ');
}

/** Hints without their number, which is `dispatches` of the row. */
export const sentText = (hints: readonly Hint[]): string =>
  `send ${hints.map(({ id, ...others }) => `${id} ${optionsText({ ...others, n: undefined })}`).join(SEPARATOR)}`;

export const windowText = (window: WriteWindow = {}): string => optionsText({ ...window });

function optionsText(options: object): string {
  const parts = Object.entries(options).filter(([, value]) => value !== undefined && value !== false);
  return parts.map(([name, value]) => (value === true ? name : `${name} ${typeof value === 'object' ? keyText(value) : value}`)).join(' ');
}

/** A condition; `row` is the row that it is about, as it is known. */
function conditionText(one: Condition, row: Row): string {
  if ('of' in one) return `(${one.of.map((part) => conditionText(part, row)).join(one.test === 'all' ? ' and ' : ' or ')})`;
  if (!('value' in one)) return `${one.attribute} is ${one.test}`;
  return one.test === 'equals' && one.value === row[one.attribute]
    ? `${one.attribute} as read`
    : `${one.attribute} ${TESTS[one.test]} ${one.value}`;
}

/** An answer in a few words: a text, the name of an error, the words and small numbers of an object. */
export function answerText(answer: unknown): string {
  if (answer instanceof NightcrewError) return answer.name;
  if (typeof answer !== 'object' || answer === null) return String(answer);
  const parts = Object.entries(answer).map(([name, value]) => [name, value instanceof Map ? [...value.values()].join() : value]);
  return optionsText(Object.fromEntries(parts.filter(([, value]) => /^(?:[a-z-]+|\d\d?)$/.test(String(value)))));
}
