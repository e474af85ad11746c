import type { KeptPayload, PayloadRef, PayloadStore } from '../../../../shared/ports/payload-store.ts';
import type { FaultPlan } from '../faults/fault-plan.ts';
import { never, type SimProcess } from './sim-process.ts';
import type { StoreWorld } from './sim-tables.ts';

/** The parts of a world that its payload store is part of. */
interface PayloadWorld extends Pick<StoreWorld, 'time' | 'chaos'> {
  readonly plan: FaultPlan;
}

/** So long ago a payload seems to have been stored: the cleaner looks at it two hours after it was, which is later than its row may be written. */
const SEEMS_OLDER_MS = 22 * 3_600_000;
const FAULTY = 0.05;

/** What happened to a key of the store of a world. */
export type PayloadEvent = { readonly by: SimProcess; readonly key: string; readonly what: 'put' | 'deleted' };

/** The payload store of a world. Its requests take time, fail, and are lost with their process, before they are done and after. */
export class SimPayloads {
  readonly kept = new Map<string, { readonly text: string; readonly storedAt: number }>();
  onEvent: (event: PayloadEvent) => void = () => {};
  readonly #world: PayloadWorld;
  #stored = 0;

  constructor(world: PayloadWorld) {
    this.#world = world;
  }

  /** The store as one process reaches it. */
  of(process: SimProcess): PayloadStore {
    const ask = async <Answer>(apply: () => Answer): Promise<Answer> => this.#ask(process, apply);
    return {
      put: (job, text) =>
        ask(() => {
          const key = `${job}/${String(++this.#stored).padStart(6, '0')}`;
          this.kept.set(key, { text, storedAt: this.#world.time.now });
          this.onEvent({ by: process, key, what: 'put' });
          return { key, version: 'only' } satisfies PayloadRef;
        }),
      // A version that was removed is not given: what a job needs must not have been. It answers: the ledger counts what handlers do.
      get: ({ key }) => this.#ask(process, () => this.kept.get(key)?.text, true),
      delete: (key) =>
        ask(() => {
          if (this.kept.delete(key)) this.onEvent({ by: process, key, what: 'deleted' });
        }),
      list: (after = '') =>
        ask(() => {
          const payloads = [...this.kept]
            .filter(([key]) => key > after)
            .map(([key, { text, storedAt }]): KeptPayload => ({ key, storedAt: storedAt - SEEMS_OLDER_MS, bytes: text.length }))
            .toSorted((a, b) => (a.key < b.key ? -1 : 1));
          return { payloads };
        }),
    };
  }

  #ask<Answer>(process: SimProcess, apply: () => Answer, answers = false): Promise<Answer> {
    const { time, chaos, plan } = this.#world;
    if (!process.alive) return never();
    // Chance of its process, so that nothing else that the world draws depends on it.
    const draw = plan.stopped ? 1 : process.entropy.random() / FAULTY;
    const [there, back] = [chaos.latency(), chaos.latency()];
    return new Promise((resolve, reject) => {
      const fail = (): void => process.deliver(back, () => reject(new Error('the payload store does not answer')));
      time.after(there, () => {
        if (draw < 0.25) return process.kill();
        if (draw < 0.5 && !answers) return fail();
        const answer = apply();
        if (draw < 0.6) return process.kill();
        if (draw < 0.75 && !answers) return fail();
        if (draw < 0.9) {
          process.freeze('pause');
          time.after(chaos.pauseMs(process), () => process.thaw('pause'));
        }
        process.deliver(back, () => resolve(answer));
      });
    });
  }
}
