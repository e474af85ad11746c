import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import { typedJson } from '../../shared/job/exact-json.ts';
import { NightcrewError } from '../../shared/job/errors.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { decodePayload } from '../../shared/job/payload.ts';
import { checkHandWritten } from '../../shared/features/schedules/model/hand-written.ts';
import { complete, continueWith, defineSchedule, followUp, type Verdict } from '../../shared/index.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const SECRET = '78051120';

class Account {
  readonly number = SECRET;
}

const cyclic = (): unknown => {
  const own: Record<string, unknown> = { number: SECRET };
  own['own'] = own;
  return own;
};
const withHole = (): unknown => {
  const list: unknown[] = [SECRET];
  list[2] = SECRET;
  return list;
};

/** Values that JSON cannot hold, or not as they are, each with the secret in it. */
const VALUES: Readonly<Record<string, () => unknown>> = {
  'a bigint': () => BigInt(SECRET),
  'a function': () => Object.assign(() => SECRET, { number: SECRET }),
  'a symbol': () => Symbol(SECRET),
  'a map': () => new Map([['number', SECRET]]),
  'a set': () => new Set([SECRET]),
  'an error': () => new Error(SECRET),
  'an expression': () => new RegExp(SECRET),
  'an address': () => new URL(`https://example.com/${SECRET}`),
  'an object of a class': () => new Account(),
  bytes: () => new TextEncoder().encode(SECRET),
  'an object with itself in it': cyclic,
  'an array with a hole': withHole,
  'a text that is too long': () => SECRET.repeat(60_000),
  'half a surrogate pair': () => `${SECRET}\uD800`,
};
const PLACES: Readonly<Record<string, (value: unknown) => unknown>> = {
  'as it is': (value) => value,
  'in an object': (value) => ({ account: { number: value } }),
  'in an array': (value) => ({ accounts: [1, value] }),
};
/** Texts that are no JSON, or whose numbers would change, as operators type them. */
const TEXTS: readonly string[] = [
  SECRET.replace('7', 'x'),
  `{"number": '${SECRET}'}`,
  `{"number": "${SECRET}"`,
  `{"number": ${SECRET}${SECRET}${SECRET}}`,
  `{"number": ${SECRET}, "number": ${SECRET}}`,
  `{"number": "${SECRET}"} ${SECRET}`,
  `["${SECRET}\u0000"]`,
  `{"number": "${SECRET}${'x'.repeat(400_000)}"}`,
  `{"__proto__": "${SECRET}"}`,
];

const work = defineJob('work', { payload: anyPayload, retry: 'R2/PT1S' });
const other = defineJob('other', { payload: anyPayload });

/** What an error says, its causes included. */
function saidBy(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause, ...fields } = error as Error & Record<string, unknown>;
  return [error.message, error.stack, JSON.stringify(fields), cause === undefined ? '' : saidBy(cause)].join('\n');
}

/** What a report says of its only entry; throws it, as the verbs of one job do. */
function firstRefusal(report: { readonly failed: readonly { readonly error: Error }[] }): void {
  const [first] = report.failed;
  if (first !== undefined) throw first.error;
}

function caughtFrom(call: () => unknown): unknown {
  try {
    call();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Where a program hands in a value. */
const DOORS: Readonly<Record<string, (rig: Rig, value: never) => unknown>> = {
  enqueue: (rig, value) => rig.client.enqueue(work, value),
  enqueueMany: async (rig, value) => firstRefusal(await rig.client.enqueueMany(work, [value])),
  prepare: (rig, value) => rig.client.prepare(work, value),
  enqueueBatch: async (rig, value) => firstRefusal(await rig.client.enqueueBatch(work, [value])),
  'a callback of a batch': (rig, value) => rig.client.createBatch({ onCompleted: followUp(work, value) }),
  'a unique key': (rig, value) => rig.client.enqueue(work, {}, { key: value }),
  'a key with options': (rig, value) => rig.client.enqueue(work, {}, { key: { value } }),
  'a group of the payload': (rig, value) => rig.client.enqueue(defineJob('of', { payload: anyPayload, group: () => value }), {}),
  editPayload: async (rig, value) =>
    createAdminOver(rig.deps).editPayload((await rig.client.enqueue(work, {}, { delay: 'PT1H' })).id, value),
  patchPayload: async (rig, value) =>
    createAdminOver(rig.deps).patchPayload((await rig.client.enqueue(work, {}, { delay: 'PT1H' })).id, value),
  'schedules.edit': async (rig, value) => {
    const { schedules } = createAdminOver(rig.deps);
    await schedules.put(defineSchedule('nightly', { job: work, payload: {}, cron: '0 2 * * *' }));
    return schedules.edit('nightly', { payload: value });
  },
  defineSchedule: (_, value) => defineSchedule('nightly', { job: work, payload: value, cron: '0 2 * * *' }),
  'schedules.put': async (rig, value) =>
    createAdminOver(rig.deps).schedules.put(defineSchedule('nightly', { job: work, payload: value, cron: '0 2 * * *' })),
};
/** What a handler returns. */
const VERDICTS: Readonly<Record<string, (value: never) => Verdict>> = {
  'a result': (value) => complete({ result: value }),
  'a state': (value) => continueWith(value),
  'a follow-up': (value) => complete({ enqueue: [followUp(other, value)] }),
};
/** Where a text is read that was typed, sent or stored. */
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  'a schedule written by hand': (text) =>
    checkHandWritten({ ...defineSchedule('nightly', { job: work, payload: {}, cron: '0 2 * * *' }), payload: text }),
  'JSON that is typed or sent': (text) => typedJson(text, 'body'),
  'a stored payload': decodePayload,
};

const values = Object.entries(VALUES).flatMap(([kind, make]) => Object.keys(PLACES).map((place) => [kind, place, make] as const));
const made = (place: string, make: () => unknown): never => PLACES[place]?.(make()) as never;

describe('what a refusal says', () => {
  it.each(Object.entries(DOORS))('names no value that was handed to it: %s', async (_, enter) => {
    let refused = 0;
    for (const [, place, make] of values) {
      const rig = new Rig({ handlers: [work.handle(() => undefined)] });
      const error: unknown = await Promise.resolve()
        .then(() => enter(rig, made(place, make)))
        .then(
          () => undefined,
          (reason: unknown) => reason,
        );
      if (error === undefined) continue;
      refused++;
      expect(error).toBeInstanceOf(NightcrewError);
      expect(saidBy(error)).not.toContain(SECRET);
      expect(JSON.stringify(rig.journal.entries)).not.toContain(SECRET);
    }
    expect(refused).toBeGreaterThan(10);
  });

  it.each(Object.entries(VERDICTS))('names no value that a handler returned: %s', async (_, verdict) => {
    for (const [, place, make] of values) {
      const rig = new Rig({ handlers: [work.handle(() => verdict(made(place, make))), other.handle(() => undefined)] });
      await rig.client.enqueue(work, {});
      await rig.deliver();
      const dead = (await rig.rows('deadLetters')).map(({ error, errorMessage }) => ({ error, errorMessage }));
      expect(JSON.stringify([dead, rig.journal.entries])).not.toContain(SECRET);
    }
  });

  it.each(Object.entries(READERS))('names no part of a text: %s', (_, read) => {
    let refused = 0;
    for (const text of TEXTS) {
      const error = caughtFrom(() => read(text));
      if (error === undefined) continue;
      refused++;
      expect(error).toBeInstanceOf(NightcrewError);
      expect(saidBy(error)).not.toContain(SECRET.slice(1));
    }
    expect(refused).toBeGreaterThan(3);
  });
});
