import type { EventSource } from '../world/event-source.ts';
import type { Sandboxes } from '../world/sandboxes.ts';
import type { World } from '../world/world.ts';
import type { Producers } from '../workload/producers.ts';
import type { RateFault } from './fault-plan.ts';
import type { SwarmChaos } from './swarm-chaos.ts';
import { makeUnreadable } from './make-unreadable.ts';

/** What incidents happen to. */
export interface Stage {
  readonly world: World;
  readonly sandboxes: Sandboxes;
  readonly source: EventSource;
  readonly producers: Producers;
  readonly chaos: SwarmChaos;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

type Incident = readonly [RateFault, (stage: Stage) => void];

const INCIDENTS: readonly Incident[] = [
  [
    'sandbox-killed',
    ({ world, sandboxes }) => {
      const { processes } = sandboxes;
      if (processes.length > 0) world.pick(processes).kill();
    },
  ],
  ['queue-purged', ({ world }) => world.queues.replace(world.pick(world.queues.refs))],
  [
    'messages-expired',
    ({ world }) => {
      for (const ref of world.queues.refs) world.queues.replace(ref);
    },
  ],
  [
    'event-source-off',
    ({ world, source }) => {
      source.on = false;
      world.time.after(world.between(5 * MINUTE, 3 * HOUR), () => switchOn(source));
    },
  ],
  [
    'unreadable-message',
    ({ world }) => world.queues.inject(world.pick(world.queues.refs), world.pick(['', '{}', '{"v":1,"id":"x","n":0}', 'null'])),
  ],
  [
    'producer-frozen',
    ({ world, producers }) => {
      const living = producers.processes.filter(({ alive }) => alive).slice(-3);
      if (living.length === 0) return;
      const frozen = world.pick(living);
      frozen.freeze('pause');
      world.time.after(world.between(MINUTE, 2 * HOUR), () => frozen.thaw('pause'));
    },
  ],
  ['row-spoiled', ({ world }) => void spoilRow(world)],
  ['store-outage', ({ world, chaos }) => void (chaos.downUntil = world.time.now + world.between(MINUTE, 20 * MINUTE))],
];

/** Draws when which incident happens during the time given, by the rates of the plan. */
export function scheduleIncidents(stage: Stage, during: number): void {
  const { world } = stage;
  for (const [fault, happen] of INCIDENTS) {
    const expected = (world.plan.rate(fault) * during) / HOUR;
    for (let left = expected; left > 0; left--) {
      if (world.entropy.random() >= left) continue;
      world.time.after(world.between(0, during), () => {
        if (!world.plan.happens(fault)) return;
        world.trace.note(world.time.now, 'world', fault);
        happen(stage);
      });
    }
  }
}

/** Somebody edits a row by hand and leaves it unreadable. */
async function spoilRow(world: World): Promise<void> {
  const table = world.pick(['jobs', 'timers'] as const);
  const rows = world.store.tables.rows(table);
  if (rows.length > 0) await makeUnreadable(world, table, world.pick(rows));
}

function switchOn(source: EventSource): void {
  source.on = true;
  source.wake();
}

/** Everything that was broken works again. */
export function heal({ world, sandboxes, source, producers, chaos }: Stage): void {
  world.plan.stop();
  chaos.downUntil = 0;
  chaos.hot.stick();
  // Queues that never say how many messages wait are no fault that ends: the sweeper works without them.
  world.queues.metrics.silent = world.plan.wide.on.includes('wrong-metrics');
  sandboxes.version = () => 2;
  sandboxes.retire();
  for (const process of [...sandboxes.processes, ...producers.processes]) process.thaw('pause');
  switchOn(source);
}
