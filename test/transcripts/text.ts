import type { Condition } from '../../shared/ports/tables.ts';
import type { Line } from './recorder.ts';

const ID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;
const TOKEN = /(?<![\w-])[\w-]{22}(?![\w-])/g;
const HASH = /(?<![\w-])[\w-]{43}(?![\w-])/g;
const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
const EPOCH_MS = /\b17\d{11}\b/g;
/** Lines of a stack: where code lies is not what it does. */
const FRAME = /\n {4}at .*/g;
const LONG = /(.)\1{40,}/g;
const YEAR_MS = 366 * 86_400_000;

/** Lines as text for people, in which ids, tokens and instants have names that are the same in every run. `startedAt`: epoch milliseconds. */
export function textOf(lines: readonly Line[], startedAt: number): readonly string[] {
  const names = new Map<string, string>();
  const named = (letter: string) => (match: string) => {
    const name = names.get(match) ?? `${letter}${[...names.values()].filter((one) => one.startsWith(letter)).length + 1}`;
    names.set(match, name);
    return name;
  };
  const plain = (text: string): string =>
    text
      .replace(LONG, (run, letter: string) => `${letter}...${letter} (${run.length})`)
      .replace(EPOCH_MS, (at) => seconds(Number(at) - startedAt))
      .replace(INSTANT, (at) => seconds(Date.parse(at) - startedAt))
      .replace(ID, named('job-'))
      .replace(HASH, named('hash-'))
      .replace(TOKEN, (match) => (/[A-Z0-9]/.test(match) ? named('token-')(match) : match));
  return shortened(lines.flatMap((line) => rendered(line, (value) => plain(inWords(value, startedAt)))));
}

/** A read of each partition or segment is one line and how many more there are like it. */
function shortened(lines: readonly string[]): readonly string[] {
  const shape = (line: string): string => line.replace(/[0-9a-f]+/g, '0');
  const runs: { first: string; more: number }[] = [];
  for (const line of lines) {
    const last = runs.at(-1);
    if (last !== undefined && /^(query|scan|get)/.test(line) && shape(last.first) === shape(line)) last.more++;
    else runs.push({ first: line, more: 0 });
  }
  return runs.flatMap(({ first, more }) => (more === 0 ? [first] : [first, `  ... ${more} more like it`]));
}

const seconds = (ms: number): string => `@${ms < 0 ? '-' : '+'}${Math.abs(ms) / 1_000}s`;

function rendered({ verb, what, got }: Line, words: (value: unknown) => string): readonly string[] {
  const answer = got === undefined ? '' : ` -> ${words(got)}`;
  if (!Array.isArray(what)) return [`${verb} ${words(what)}${answer}`];
  if (what.length === 1) return [`${verb} ${words(what[0])}${answer}`];
  return [`${verb}${answer}`, ...what.map((one) => `  ${words(one)}`)];
}

/** A value in one line, without quotes that nobody needs. */
function inWords(value: unknown, startedAt: number): string {
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (typeof value === 'number') return numberInWords(value, startedAt);
  if (typeof value === 'string') return quoted(value.replace(FRAME, ''));
  if (value instanceof Map || value instanceof Set) return inWords([...value], startedAt);
  if (Array.isArray(value)) return `[${value.map((one) => inWords(one, startedAt)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const parts = Object.entries(value).flatMap(([name, one]) => {
    if (one === undefined || typeof one === 'function') return [];
    return `${name}: ${isCondition(one) ? condition(one) : inWords(one, startedAt)}`;
  });
  return `{${parts.join(', ')}}`;
}

const quoted = (text: string): string => (/^[\w./#@+:-]+$/.test(text) || /^[{[].*[\]}]$/.test(text) ? text : JSON.stringify(text));

/** Epoch milliseconds, and the epoch seconds of a time to live, are told by how long after the start they are. */
function numberInWords(value: number, startedAt: number): string {
  if (Math.abs(value - startedAt) < 20 * YEAR_MS) return seconds(value - startedAt);
  return Math.abs(value * 1_000 - startedAt) < 20 * YEAR_MS ? `${seconds(value * 1_000 - startedAt)} (TTL)` : String(value);
}

const isCondition = (value: unknown): value is Condition => typeof value === 'object' && value !== null && 'test' in value;

const TESTS = { equals: '=', beginsWith: 'begins with', atMost: '<=' } as const;

function condition(one: Condition): string {
  if ('of' in one) return `(${one.of.map(condition).join(one.test === 'all' ? ' and ' : ' or ')})`;
  return 'value' in one ? `${one.attribute} ${TESTS[one.test]} ${one.value}` : `${one.attribute} is ${one.test}`;
}
