import { expect, it } from 'vitest';
import { defineJob, type HandledJob } from '../../../../shared/job/job-type.ts';
import { defineLimit } from '../../../../shared/job/limit.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';

const MINUTE = 60_000;
const QUEUE = { worker: 'default', lane: 'default', kind: 'standard' } as const;
const limited = (concurrency: number) => defineJob('slow', { payload: anyPayload, limits: [defineLimit('some', { concurrency })] });

class Deployments {
  readonly rig = new Rig({ handlers: [] });
  readonly ends = new Map<number, () => void>();

  deploy(concurrency: number): void {
    const handled: HandledJob = limited(concurrency).handle(({ payload }) => {
      const n = Number(payload['n']);
      return new Promise<void>((resolve) => this.ends.set(n, resolve)).finally(() => this.ends.delete(n));
    });
    Object.assign(this.rig.deps, { handlers: new Map([['slow', handled]]) });
  }

  async add(n: number): Promise<void> {
    await this.rig.client.enqueue(limited(1), { n });
    await this.deliver();
    await this.rig.clock.advance(1);
  }

  async deliver(): Promise<void> {
    for (let messages = this.rig.hints.receive(QUEUE, 1); messages.length > 0; messages = this.rig.hints.receive(QUEUE, 1)) {
      void this.rig.execute(messages).catch(() => undefined);
      await this.rig.settle();
    }
  }

  async endAll(): Promise<void> {
    for (const end of this.ends.values()) {
      end();
      await this.rig.settle();
      await this.deliver();
    }
  }

  async tick(): Promise<void> {
    await this.rig.clock.advance(MINUTE / 2);
    await this.rig.fire();
    await this.deliver();
  }
}

it('a limit that a deployment lowered is kept by all that start after it, while no other job is parked', async () => {
  const world = new Deployments();
  world.deploy(3);
  for (let n = 0; n < 10; n++) await world.add(n);
  expect(world.ends.size).toBe(3);
  world.deploy(1);
  await world.endAll();
  await world.endAll();
  for (let round = 0; round < 5; round++) {
    await world.tick();
    expect(world.ends.size).toBeLessThanOrEqual(1);
    await world.endAll();
    expect(world.ends.size).toBeLessThanOrEqual(1);
  }
  for (let round = 0; round < 5; round++) {
    await world.tick();
    await world.endAll();
  }
  expect(world.rig.journal.count('completed')).toBe(10);
  expect((await world.rig.rows('control')).filter(({ sk }) => String(sk).startsWith('slot#'))).toEqual([]);
});

it('a limit that a deployment raised lets those who are parked start when the next job comes by', async () => {
  const world = new Deployments();
  world.deploy(1);
  for (let n = 0; n < 4; n++) await world.add(n);
  world.deploy(3);
  expect(world.ends.size).toBe(1);
  await world.add(9);
  await world.deliver();
  expect([...world.ends.keys()]).toEqual([0, 1, 2]);
});

it('a slot that was handed over is given back when the number was lowered before its job came', async () => {
  const world = new Deployments();
  world.deploy(2);
  for (let n = 0; n < 3; n++) await world.add(n);
  // The slot of the second goes over to the third, whose message comes after the deployment.
  world.ends.get(1)?.();
  await world.rig.settle();
  world.deploy(1);
  await world.deliver();
  expect([...world.ends.keys()]).toEqual([0]);
  world.ends.get(0)?.();
  await world.rig.settle();
  await world.deliver();
  expect([...world.ends.keys()]).toEqual([2]);
});
