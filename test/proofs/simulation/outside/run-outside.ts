import { type OutsideViolation, OutsideWorld, type Work, WORK_TYPES, type WorkerName } from './outside-world.ts';
import { type Machine, startWorkerPool, startForeign, startLambda } from './processes.ts';

/** What came of one seed. */
export interface OutsideReport {
  readonly seed: number;
  readonly violations: readonly OutsideViolation[];
  readonly jobs: number;
  readonly starts: number;
  /** Runs that began while an outdated one of their group stood still. */
  readonly outdated: number;
  readonly hash: string;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const FAULTY_MS = 12 * MINUTE;
const PATIENCE_MS = 120 * MINUTE;
const GROUPS = ['red', 'green', 'blue', 'white'];

/**
 * Runs workers of every kind on jobs of a few groups through a quarter of an hour of freezes, kills, stops, outages and lost replies,
 * then waits until every job is done. The same seed gives the same run.
 */
export async function runOutside(seed: number, print?: (line: string) => void): Promise<OutsideReport> {
  const world = new OutsideWorld(seed, print);
  const machines: Machine[] = [];
  const keep = (start: () => Machine): void => {
    const machine = start();
    machines.push(machine);
    machine.process.onDeath(() => {
      machines.splice(machines.indexOf(machine), 1);
      world.time.after(world.between(1, 10) * SECOND, () => keep(start));
    });
  };
  keep(() => startWorkerPool(world, 'outside', 10));
  keep(() => startWorkerPool(world, 'outside', 4));
  keep(() => startWorkerPool(world, 'other', 10));
  keep(() => startForeign(world));
  startLambda(world);
  every(world, MINUTE, () => void world.sweep());
  const jobs = produce(world);
  trouble(world, machines);
  await world.time.runUntil(world.time.now + FAULTY_MS);
  world.healed = true;
  const rest = world.time.now + PATIENCE_MS;
  while (world.time.now < rest && world.store.tables.rows('jobs').length > 0) await world.time.runUntil(world.time.now + MINUTE);
  const { invariants, store, violations } = world;
  const left = [...store.tables.rows('jobs'), ...store.tables.rows('deadLetters')];
  const lost = left.map((row): OutsideViolation => ({ rule: 'nothing-lost', what: `${String(row['id'])} is still there` }));
  return {
    seed,
    violations: [...violations, ...lost],
    jobs: jobs.count,
    starts: invariants.starts,
    outdated: invariants.outdated,
    hash: world.trace.digest(),
  };
}

function every(world: OutsideWorld, ms: number, work: () => void): void {
  world.time.after(ms, () => {
    work();
    every(world, ms, work);
  });
}

/** Now and then a few neighbours of one group, which one receive brings together. */
function produce(world: OutsideWorld): { count: number } {
  const jobs = { count: 0 };
  const client = world.client(world.process('producer'));
  const end = world.time.now + FAULTY_MS;
  const next = (): void => {
    if (world.time.now >= end) return;
    const worker = world.pick<WorkerName>(['outside', 'outside', 'other', 'foreign', 'lambda']);
    const group = world.pick(GROUPS);
    const longest = world.entropy.random() < 0.15 ? 90 : 15;
    const works = Array.from({ length: world.between(1, 7) }, (): Work => {
      const ms = world.between(1, worker === 'lambda' ? Math.min(longest, 20) : longest) * SECOND;
      return { ms, group, deaf: worker !== 'foreign' && world.entropy.random() < 0.1 };
    });
    jobs.count += works.length;
    void client.enqueueMany(WORK_TYPES[worker], works as unknown as Record<string, unknown>[]).catch(() => {});
    world.time.after(world.between(10, 90) * SECOND, next);
  };
  next();
  return jobs;
}

/** Machines freeze, die, stop and lose their store, each for a while that may be longer than any lease. */
function trouble(world: OutsideWorld, machines: readonly Machine[]): void {
  const next = (): void => {
    if (world.healed) return;
    const machine = machines.length === 0 ? undefined : world.pick(machines);
    const ms = world.between(1, 100) * SECOND;
    const draw = world.entropy.random();
    if (machine !== undefined) {
      const { process } = machine;
      if (draw < 0.25) world.freeze(process, ms);
      else if (draw < 0.33) process.kill();
      else if (draw < 0.4) machine.stop();
      else {
        world.cutOff.add(process);
        world.time.after(ms, () => world.cutOff.delete(process));
      }
    }
    world.time.after(world.between(5, 30) * SECOND, next);
  };
  world.time.after(30 * SECOND, next);
}
