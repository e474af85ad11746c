import * as z from 'zod';
import type { Admin } from '../../operate/index.ts';
import { defineJob, defineLimit, NonRetryableError, snooze } from '../../shared/index.ts';
import { createTestKit, type TestKit } from '../../testing/index.ts';

const payload = z.record(z.string(), z.unknown());

/** Fails as its payload says, for dead letters of a few faults. */
export const sendMail = defineJob('mail.send', {
  payload,
  retry: 'R2/PT1M',
  group: (p) => (typeof p['group'] === 'string' ? p['group'] : undefined),
});
/** Runs until the test lets it end; one at a time. */
export const renderFilm = defineJob('film.render', { payload, limits: [defineLimit('studio', { concurrency: 1 })] });
/** Nobody handles it. */
export const unknownWork = defineJob('unknown.work', { payload });

/** A job of every state, by name. */
export interface EveryState {
  readonly kit: TestKit;
  readonly admin: Admin;
  readonly ids: Readonly<
    Record<'waiting' | 'running' | 'parked' | 'suspended' | 'stopped' | 'unhandled' | 'dead' | 'finished' | 'snoozed' | 'ready', string>
  >;
  /** Lets the running job end. */
  release(): Promise<void>;
}

/** A text that is markup, script and quote at once. */
export const HOSTILE = `"><script>alert(1)</script><img src=x onerror=alert(2)>' & \u202e`;

/** A deployment in memory in which every state has its jobs. */
export async function jobsInEveryState(dead = 3): Promise<EveryState> {
  let end: () => void = () => undefined;
  const kit = createTestKit(
    [
      sendMail.handle(async ({ payload: given, job, log }) => {
        log.info('mail goes out', { to: 'somebody' });
        if (given['snooze'] === true && job.attempt === 1) return snooze('PT10M');
        if (given['fault'] === 'address') throw new NonRetryableError(`no such mailbox: ${String(given['to'])} ${HOSTILE}`);
        if (given['fault'] === 'relay') throw new TypeError(`relay answered 451 for message ${String(given['n'])}`);
        return undefined;
      }),
      renderFilm.handle(async ({ progress }) => {
        progress(40, 'frame 40 of 100');
        await new Promise<void>((resolve) => {
          end = resolve;
        });
      }),
      unknownWork,
    ],
    { history: 'full', settings: { batchConcurrency: 10 } },
  );
  const { client, admin } = kit;
  const one = async (given: Readonly<Record<string, unknown>>, options = {}): Promise<string> =>
    (await client.enqueue(sendMail, given, options)).id;
  const finished = await one({ to: 'a@example.org' }, { tenant: 'acme', correlationId: 'order-7' });
  const snoozed = await one({ snooze: true });
  await kit.advance('PT11M');
  const many = await client.enqueueMany(
    sendMail,
    Array.from({ length: dead }, (_, n) =>
      n % 3 === 0 ? { fault: 'address', to: `m${n}`, password: 'hunter2' } : { fault: 'relay', n, big: 1 },
    ),
    { tenant: 'acme' },
  );
  await kit.advance('PT5M');
  const waiting = await one({ to: 'b', [HOSTILE]: HOSTILE }, { delay: 'P2D', tenant: HOSTILE, correlationId: HOSTILE });
  const unhandled = (await client.enqueue(unknownWork, {})).id;
  await admin.suspend({ tenant: 'late-payer' }, { reason: 'has not paid' });
  const suspended = await one({ to: 'c' }, { tenant: 'late-payer' });
  const stopped = await one({ to: 'd' }, { delay: 'P1D' });
  await admin.breakpoint(stopped, { reason: 'look at it first' });
  await kit.advance('PT6S');
  const [first, second] = await client.enqueueMany(renderFilm, [{ n: 1 }, { n: 2 }]).then(({ ids }) => ids);
  const running = kit.drain();
  for (let turns = 0; turns < 200; turns++) await new Promise((resolve) => setImmediate(resolve));
  const ready = await one({ to: 'e', group: 'g-1' }, { tenant: 'acme' });
  return {
    kit,
    admin,
    ids: {
      waiting,
      unhandled,
      suspended,
      stopped,
      finished,
      snoozed,
      ready,
      dead: many.ids[0] ?? '',
      running: first ?? '',
      parked: second ?? '',
    },
    release: async () => {
      end();
      for (let turns = 0; turns < 200; turns++) await new Promise((resolve) => setImmediate(resolve));
      end();
      await running;
    },
  };
}
