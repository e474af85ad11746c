import { describe, expect, it } from 'vitest';
import type { Explanation } from '../../../operate/explain/explanation.ts';
import { defineJob } from '../../../shared/job/job-type.ts';
import { defineLimit } from '../../../shared/job/limit.ts';
import { defineSchedule } from '../../../shared/features/schedules/model/definition.ts';
import { snooze } from '../../../shared/job/verdict.ts';
import type { QueueRef } from '../../../shared/ports/hints.ts';
import { seededEntropy } from '../../../shared/adapters/memory/seeded-entropy.ts';
import { idKey } from '../../../shared/store/rows.ts';
import { type ExplainStage, explainStage, work } from '../../support/explain-stage.ts';
import { anyPayload } from '../../support/rig.ts';

const MINUTE = 60_000;
const HALF = 30_000;
const unknown = defineJob('unknown', { payload: anyPayload });
const limited = defineJob('limited', { payload: anyPayload, limits: [defineLimit('one', { concurrency: 1 })] });
const rated = defineJob('rated', { payload: anyPayload, limits: [defineLimit('rated', { rate: 1, per: 'PT20M' })] });

/** Something that a function was to do to a job by a certain instant, and the job as it was then. */
interface Promised {
  readonly why: Explanation;
  readonly rev: number;
  readonly at: number;
}

/** An hour in which jobs fail, snooze, are suspended, lose their messages and their executors. */
class BusyNight {
  readonly promises = new Map<string, Promised>();
  readonly codes = new Set<string>();
  kept = 0;
  readonly #stage: ExplainStage;
  readonly #ids: string[] = [];
  readonly #chance: () => number;

  constructor(stage: ExplainStage, chance: () => number) {
    this.#stage = stage;
    this.#chance = chance;
  }

  async begin(): Promise<void> {
    const { client } = this.#stage.rig;
    await this.#stage.admin.schedules.put(defineSchedule('often', { job: work, payload: {}, every: 'PT12M' }));
    for (let n = 0; n < 30; n++) {
      const type = this.#pick([work, work, work, unknown, limited, rated]);
      const delay = this.#pick([0, 0, 5 * MINUTE, 40 * MINUTE, 90 * MINUTE]);
      this.#ids.push((await client.enqueue(type, { n }, { delay, ...(n % 3 === 0 ? { group: 'g' } : {}) })).id);
    }
  }

  #pick<One>(of: readonly One[]): One {
    return of[Math.floor(this.#chance() * of.length)] as One;
  }

  /** Half a minute: messages, some of which are lost, and what goes wrong besides. */
  async step(): Promise<void> {
    const { rig } = this.#stage;
    await rig.clock.advance(HALF);
    for (const queue of rig.queues) await this.#deliver(queue);
    if (this.#chance() < 0.05) await this.#suspend();
    const [row] = (await rig.rows('jobs')).filter(({ lockOwner }) => String(lockOwner).startsWith('queue/'));
    if (row !== undefined && this.#chance() < 0.1) {
      const lockExpiresAt = new Date(rig.clock.now() + MINUTE).toISOString();
      const lockOwner = this.#pick(['run/dead', 'alone/dead']);
      await rig.tables.write({
        op: 'update',
        table: 'jobs',
        key: idKey(String(row['id'])),
        set: { lockOwner, lockExpiresAt },
        add: { rev: 1 },
      });
    }
  }

  /** Until none is visible: a message that waits would explain a wait. */
  async #deliver(queue: QueueRef): Promise<void> {
    const { rig } = this.#stage;
    for (let messages = rig.hints.receive(queue, 10); messages.length > 0; messages = rig.hints.receive(queue, 10)) {
      for (const message of messages) {
        if (this.#chance() < 0.2) rig.hints.acknowledge(message);
        else await rig.execute([message]);
      }
    }
  }

  /** Whoever suspends anew what is suspended changes what was promised of it. */
  async #suspend(): Promise<void> {
    await this.#stage.admin.suspend({ type: 'work' }, { reason: 'test', until: { for: this.#pick(['PT5M', 'PT15M']) } });
    for (const [id, { why }] of this.promises) if (why.state === 'suspended') this.promises.delete(id);
  }

  /** What was promised until now has happened; what is promised now is remembered. */
  async ask(): Promise<void> {
    const { rig, admin } = this.#stage;
    const scheduled = (await admin.schedules.get('often'))?.next?.id;
    for (const id of [...this.#ids, ...(scheduled === undefined ? [] : [scheduled])]) {
      const [why, seen] = [await admin.explain(id), await admin.find(id)];
      if (why === undefined || seen === undefined) continue;
      this.codes.add(why.code);
      const before = this.promises.get(id);
      if (before?.rev !== seen.rev) {
        if (before !== undefined) this.kept++;
        this.promises.delete(id);
      } else if (before.at <= rig.clock.now()) {
        expect.fail(`${before.why.text} (${before.why.code}) It is ${new Date(rig.clock.now()).toISOString()} and it has not happened.`);
      }
      const at = why.next.at?.getTime();
      if (at !== undefined && ['acquirer', 'sweeper'].includes(why.next.by) && !this.promises.has(id))
        this.promises.set(id, { why, rev: seen.rev, at });
    }
  }
}

describe('what an explanation promises of acquirer and sweeper', () => {
  it.each(Array.from({ length: 2 }, (_, seed) => seed + 1))('comes true, night %i', async (seed) => {
    const entropy = seededEntropy(seed);
    const chance = (): number => entropy.random();
    const stage = await explainStage(
      () => {
        const what = chance();
        if (what < 0.3) throw new Error('asked to');
        return what < 0.5 ? snooze(chance() < 0.5 ? 'PT10M' : 'PT40M') : undefined;
      },
      { handlers: [limited.handle(() => undefined), rated.handle(() => undefined)], seed },
    );
    const night = new BusyNight(stage, chance);
    await night.begin();
    let late = false;
    for (let half = 0; half < 150; half++) {
      await night.step();
      // A tick a minute, now and then half a minute late.
      const due = late || half % 2 === 0;
      late = half % 2 === 0 && chance() < 0.3;
      if (due && !late) {
        await stage.rig.fire();
        await stage.rig.sweep();
      }
      await night.ask();
    }
    expect(night.kept).toBeGreaterThan(20);
    for (const code of ['due-later', 'retry-later', 'no-handler', 'held-by-suspension', 'next-of-schedule'])
      expect(night.codes).toContain(code);
  });
});
