import { type Duration, durationMs } from './duration.ts';
import { InvalidInputError } from './errors.ts';
import { checkOptions, checkText } from './names.ts';

/** What an enqueue does when another job holds its unique key. */
export type OnConflict = 'reject' | 'replace' | 'keep-latest' | 'debounce';

/** A unique key with terms of its own. */
export interface UniqueKeyOptions {
  readonly value: string;
  /** The key is held for this long from now, whether or not its job has finished. Only with `reject`. */
  readonly for?: Duration;
  /**
   * If another job holds the key. `reject`: nothing is created, and the answer names that job. The others give a job that has not
   * started the new payload and options; they differ in what happens to one that runs. `replace`: it is asked to stop, and the new job
   * takes the key. `keep-latest`, `debounce`: it goes on, and the new job takes the key. Default `reject`.
   */
  readonly onConflict?: OnConflict;
  /** Required for `debounce`: each enqueue makes the job due `wait` later, but no later than `maxWait` after the first one. */
  readonly debounce?: { readonly wait: Duration; readonly maxWait?: Duration };
}

/** A unique key: held until its job is finished, or on the given terms. */
export type UniqueKey = string | UniqueKeyOptions;

/** How a conflict is settled by another way than a refusal. Milliseconds. */
export interface KeyConflict {
  readonly mode: Exclude<OnConflict, 'reject'>;
  readonly waitMs?: number;
  readonly maxWaitMs?: number;
}

/** A unique key as it was checked. */
export interface CheckedKey {
  readonly value: string;
  readonly forMs?: number;
  readonly conflict?: KeyConflict;
}

const MODES: readonly OnConflict[] = ['reject', 'replace', 'keep-latest', 'debounce'];

/** Checks the `key` option. Undefined for no key; an empty string is none. */
export function checkKey(key: unknown): CheckedKey | undefined {
  if (typeof key !== 'object' || key === null) {
    const value = checkText(key, 'key');
    return value === undefined ? undefined : { value };
  }
  checkOptions(key, ['value', 'for', 'onConflict', 'debounce'], 'key');
  const { value: given, for: lasting, onConflict = 'reject', debounce } = key as UniqueKeyOptions;
  const value = checkText(given, 'key.value');
  if (!MODES.includes(onConflict)) throw new InvalidInputError('key.onConflict', onConflict, `Use one of: ${MODES.join(', ')}.`);
  const conflict = conflictOf(onConflict, debounce);
  if (conflict !== undefined && lasting !== undefined) {
    throw new InvalidInputError('key.for', lasting, `A key for a time refuses other jobs. Leave out for, or onConflict: '${onConflict}'.`);
  }
  if (value === undefined) {
    if (conflict === undefined) return undefined;
    throw new InvalidInputError('key.value', given, `onConflict: '${onConflict}' needs a key. Give a text that is not empty.`);
  }
  return {
    value,
    ...(lasting === undefined ? {} : { forMs: durationMs(lasting, 'key.for') }),
    ...(conflict === undefined ? {} : { conflict }),
  };
}

function conflictOf(mode: OnConflict, debounce: UniqueKeyOptions['debounce']): KeyConflict | undefined {
  if (mode !== 'debounce') {
    if (debounce !== undefined) throw new InvalidInputError('key.debounce', debounce, `Leave it out, or use onConflict: 'debounce'.`);
    return mode === 'reject' ? undefined : { mode };
  }
  if (debounce === undefined)
    throw new InvalidInputError('key.debounce', debounce, `Give { wait }, such as { wait: 'PT30S', maxWait: 'PT5M' }.`);
  checkOptions(debounce, ['wait', 'maxWait'], 'key.debounce');
  const waitMs = durationMs(debounce.wait, 'key.debounce.wait');
  if (debounce.maxWait === undefined) return { mode, waitMs };
  const maxWaitMs = durationMs(debounce.maxWait, 'key.debounce.maxWait');
  if (maxWaitMs < waitMs) throw new InvalidInputError('key.debounce.maxWait', debounce.maxWait, 'Use at least wait.');
  return { mode, waitMs, maxWaitMs };
}
