import { SEPARATOR } from './text.ts';

const ID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;
const TOKEN = /(?<![\w-])[\w-]{22}(?![\w-])/g;
const HASH = /(?<![\w-])[\w-]{43}(?![\w-])/g;
const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
const EPOCH_MS = /\b17\d{11}\b/g;
const DELAY = /(?<=delayMs )\d+/g;
/** What a hash of the job's id chooses. */
const SHARD = /(?<=timers )[0-9a-f]{2}(?=\/)|(?<=leaf#)\d+/g;
/** Instants after this many seconds depend on the situation more than on the verb. */
const LATER = 600;
const MAX_CHARACTERS = 200;

/**
 * Lines in which ids, tokens, hashes and instants have names that are the same in every run, and as far as possible in every situation.
 * `startedAt`: epoch milliseconds.
 */
export function withNames(lines: readonly string[], { startedAt, type }: { startedAt: number; type: string }): readonly string[] {
  const names = new Map<string, string>();
  const named = (kind: string) => (match: string) => {
    const name = names.get(match) ?? `${kind}-${[...names.values()].filter((one) => one.startsWith(kind)).length + 1}`;
    names.set(match, name);
    return name;
  };
  const instant = (at: number): string => {
    const seconds = Math.round((at - startedAt) / 1_000);
    return seconds < 0 ? '@past' : seconds === 0 ? '@now' : seconds > LATER ? '@later' : `@+${seconds}s`;
  };
  const plain = (line: string): string =>
    line
      .replaceAll(type, 'sim.type')
      .replace(DELAY, (ms) => `${Math.round(Number(ms) / 1_000)}s`)
      .replace(EPOCH_MS, (at) => instant(Number(at)))
      .replace(INSTANT, (at) => instant(Date.parse(at)))
      .replace(ID, named('job'))
      .replace(HASH, named('hash'))
      .replace(TOKEN, (match) => (/[A-Z0-9]/.test(match) ? named('token')(match) : match))
      .replace(SHARD, 'shard');
  // Rows that are read one after the other are one line.
  const joined = counted(lines.map(plain))
    .join('\n')
    .replace(/(?<=^get .*)\nget /gm, SEPARATOR);
  return joined.split('\n').map((line) => wrapped(line));
}

/** Reads that differ in a partition or segment only are one line. */
function counted(lines: readonly string[]): readonly string[] {
  const shape = (line: string): string => line.replace(/[0-9a-f]+/g, '0');
  const runs: { readonly first: string; count: number }[] = [];
  for (const line of lines) {
    const last = runs.at(-1);
    if (last !== undefined && /^(query|scan)/.test(line) && shape(last.first) === shape(line)) last.count++;
    else runs.push({ first: line, count: 1 });
  }
  return runs.map(({ first, count }) => (count === 1 ? first : `${first} (${count} like it)`));
}

/** Breaks a long line between its parts; `next` begins the further lines. */
export function wrapped(line: string, separator = SEPARATOR, next = '  | '): string {
  return line.split(separator).reduce((text, part) => {
    const longer = `${text}${separator}${part}`;
    return longer.length - longer.lastIndexOf('\n') > MAX_CHARACTERS ? `${text}\n${next}${part}` : longer;
  });
}
