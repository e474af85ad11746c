import type { World } from '../world/world.ts';
import type { WorkItem, TypeName } from './work-item-jobs.ts';

const GROUPS = ['g1', 'g2', 'Müller & Söhne', undefined, undefined, undefined];
const SECOND = 1_000;
const MINUTE = 60_000;

const KINDS: readonly (readonly [WorkItem['kind'], number])[] = [
  ['plain', 10],
  ['flaky', 4],
  ['hopeless', 2],
  ['refused', 1],
  ['conflicting', 1],
  ['snoozing', 3],
  ['poison', 1],
  ['stuck', 1],
  ['slow', 1],
  ['long', 3],
  ['parent', 2],
];

/** A job to enqueue: what it does, and of which type it is. */
export interface Commission {
  readonly type: TypeName;
  readonly workItem: WorkItem;
}

/** Draws a job. Kinds that need a time limit get the type that has one. */
export function commission(world: World): Commission {
  const kind = weighted(world);
  const type: TypeName =
    kind === 'stuck' || kind === 'slow'
      ? 'hurried'
      : world.pick(['usual', 'usual', 'patient', 'hurried', 'later', 'elsewhere', 'limited', 'rated', 'abroad']);
  const group = world.pick(GROUPS);
  const limitKey = type === 'limited' || type === 'rated' ? world.pick(['k1', 'k2', undefined]) : undefined;
  const work: Readonly<Partial<Record<WorkItem['kind'], number>>> = {
    long: world.between(6 * SECOND, world.deployment.settings.executorTimeoutMs / 2),
  };
  return {
    type: kind === 'long' && type === 'hurried' ? 'usual' : type,
    workItem: {
      kind,
      workMs: work[kind] ?? world.between(1, 2 * SECOND),
      times: world.between(0, 2),
      delayMs: kind === 'snoozing' ? world.pick([SECOND, 30 * SECOND, 5 * MINUTE, 25 * MINUTE]) : 40 * SECOND,
      generations: kind === 'parent' ? world.between(1, 20) : 0,
      ...(group === undefined ? {} : { group }),
      ...(limitKey === undefined ? {} : { limitKey }),
    },
  };
}

function weighted(world: World): WorkItem['kind'] {
  const total = KINDS.reduce((sum, [, weight]) => sum + weight, 0);
  let draw = world.entropy.random() * total;
  for (const [kind, weight] of KINDS) {
    draw -= weight;
    if (draw < 0) return kind;
  }
  return 'plain';
}
