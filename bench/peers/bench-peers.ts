import { defined } from '../../shared/job/defined.ts';
import type { Bench, BenchPlan, BenchResult } from '../frame/bench.ts';
import { interleave, type Side } from '../frame/interleave.ts';
import { compared, measured, type Measurement, type Named, type Target } from '../frame/measurement.ts';
import { measureSystem, type PeerFigure, type PeerWork, pickup } from './measure-system.ts';
import type { PeerSystem, WorkerEntry } from './system.ts';
import type { PolledSystem } from './systems/pg-boss.ts';
import { type PeerRatio, whoIsAhead } from './who-is-ahead.ts';
import { startWorkerProcess, type WorkerProcess } from './workers/worker-process.ts';

type Name = 'nightcrew' | 'pg-boss' | 'graphile-worker' | 'bullmq';
const PEERS = ['pg-boss', 'graphile-worker', 'bullmq'] as const satisfies readonly Name[];

const FULL: PeerWork = { jobs: 3_000, singles: 100 };
const SHORT: PeerWork = { jobs: 100, singles: 5 };

const FIGURES: readonly (readonly [figure: PeerFigure, what: string, unit: string])[] = [
  ['rate', 'jobs drained', 'jobs/s'],
  ['workerCpu', 'CPU of the worker, 1,000 jobs', 's'],
  ['storeCpu', 'CPU of the store, 1,000 jobs', 's'],
  ['enqueueRate', 'jobs enqueued in bulk', 'jobs/s'],
  ['pickupMedian', 'enqueue to handler start, median', 'ms'],
  ['pickupP99', 'enqueue to handler start, p99', 'ms'],
];

const TARGETS: Readonly<Record<string, Target>> = {
  'peers.nightcrew.rate': { at: 'least', value: 1_800 },
  'peers.nightcrew.workerCpu': { at: 'most', value: 0.5 },
  'peers.nightcrew.enqueueRate': { at: 'least', value: 8_000 },
  'peers.pg-boss.rate': { at: 'least', value: 0.7 },
  'peers.pg-boss.enqueueRate': { at: 'least', value: 0.3 },
};

/** Nightcrew on its emulators, compared with three job queues on PostgreSQL and Redis, all on this machine. */
export const benchPeers: Bench = {
  name: 'peers',
  what: 'the same jobs run by pg-boss, graphile-worker and BullMQ, on PostgreSQL and Redis',
  programs: ['initdb', 'postgres', 'pg_isready', 'redis-server'],
  figures: [
    ...FIGURES.flatMap(([figure]) => (['nightcrew', ...PEERS] as const).map((name) => `peers.${name}.${figure}`)),
    'peers.pg-boss.pickupPolling',
  ],
  async run(plan) {
    const stage: Stage = { ends: [], about: [] };
    try {
      const work = plan.short ? SHORT : FULL;
      const polled: number[] = [];
      const sides = await openSides(stage, { plan, work, polled });
      const rounds = await interleave(plan, sides);
      const figures = measurements(rounds);
      return {
        measurements: [...figures, polling(polled)],
        notes: [...notes(plan, work, stage.about), ...whoIsAhead(ratiosOf(figures)), ...WHY],
      };
    } finally {
      for (const end of stage.ends.toReversed()) await end();
    }
  },
};

/** Started systems, to be stopped in reverse order. */
interface Stage {
  readonly ends: (() => Promise<void>)[];
  readonly about: string[];
}

async function openSides(
  stage: Stage,
  { plan, work, polled }: { readonly plan: BenchPlan; readonly work: PeerWork; readonly polled: number[] },
): Promise<Record<Name, Side<PeerFigure>>> {
  const open = async <System extends PeerSystem>(start: Promise<System>) => {
    const system = await start;
    stage.ends.push(() => system.stop());
    const worker = await openWorker(stage, system.worker);
    return { system, side: () => measureSystem(system, worker, work) };
  };
  plan.progress(0, 'starting the stores and their workers');
  // Loaded only here: the other benches need neither the packages nor the servers.
  const [nightcrew, pgBoss, graphile, bullmq] = await allOrNone([
    open(import('./systems/nightcrew.ts').then(({ startNightcrew }) => startNightcrew())),
    open(import('./systems/pg-boss.ts').then(({ startPgBoss }) => startPgBoss())),
    open(import('./systems/graphile-worker.ts').then(({ startGraphileWorker }) => startGraphileWorker())),
    open(import('./systems/bullmq.ts').then(({ startBullmq }) => startBullmq())),
  ]);
  const poller = await openWorker(stage, pgBoss.system.pollingWorker);
  stage.about.push(...[nightcrew, pgBoss, graphile, bullmq].map(({ system }) => `${system.name}: ${system.about}.`));
  return {
    nightcrew: nightcrew.side,
    'pg-boss': async (round) => {
      const figures = await pgBoss.side();
      if (round >= 0) polled.push(await pickupByPolling(pgBoss.system, poller, (round + 0.5) / plan.rounds));
      return figures;
    },
    'graphile-worker': graphile.side,
    bullmq: bullmq.side,
  };
}

/** Waits for all before it fails, so that a late start is stopped too. */
async function allOrNone<Started extends readonly Promise<unknown>[]>(
  starts: readonly [...Started],
): Promise<{ [At in keyof Started]: Awaited<Started[At]> }> {
  await Promise.allSettled(starts);
  return Promise.all(starts);
}

async function openWorker(stage: Stage, entry: WorkerEntry): Promise<WorkerProcess> {
  const worker = await startWorkerProcess(entry);
  stage.ends.push(() => worker.end());
  return worker;
}

/** Rounds enqueue at instants spread over the polling interval: a single instant would always wait equally long. */
async function pickupByPolling(system: PolledSystem, worker: WorkerProcess, part: number): Promise<number> {
  await worker.work();
  const ms = await pickup(system, worker, system.pollingMs * part);
  await worker.rest();
  return ms;
}

const polling = (values: readonly number[]): Measurement =>
  measured({ id: 'peers.pg-boss.pickupPolling', what: 'pg-boss with default polling, enqueue to handler start', unit: 'ms' }, values);

function measurements(rounds: Awaited<ReturnType<typeof interleave<PeerFigure, Name>>>): readonly Measurement[] {
  const ours = rounds.nightcrew;
  return FIGURES.flatMap(([figure, what, unit]) => {
    const named = (name: Name): Named => {
      const id = `peers.${name}.${figure}`;
      return { id, what, unit, ...defined({ target: TARGETS[id] }) };
    };
    return [
      measured(named('nightcrew'), ours[figure]),
      ...PEERS.map((peer) => compared({ ...named(peer), baselineName: peer }, ours[figure], rounds[peer][figure])),
    ];
  });
}

/** Of the compared figures alone. */
function ratiosOf(figures: readonly Measurement[]): readonly PeerRatio[] {
  return PEERS.flatMap((peer) =>
    FIGURES.flatMap(([figure]) => {
      const ratio = figures.find(({ id }) => id === `peers.${peer}.${figure}`)?.ratio;
      return ratio === undefined ? [] : [{ peer, figure, ratio }];
    }),
  );
}

function notes({ rounds }: BenchPlan, { jobs, singles }: PeerWork, about: readonly string[]): NonNullable<BenchResult['notes']> {
  return [
    `${rounds} rounds of ${jobs} jobs (${rounds * jobs} in all) after a warm-up round, drained from a full queue, timed from the first handler's start until no unfinished job is left; then ${singles} single jobs to an idle worker. One worker process runs ten jobs at a time, with the same payload and an empty handler.`,
    ...about,
  ];
}

/** Why the figures are as they are, and what they leave out. The figures of a run show which system is ahead. */
const WHY = [
  'The stores of the peers suit one machine: each is next to its worker and behind an open connection, and needs few requests for each job (pg-boss takes ten jobs in a statement, graphile-worker hundreds; BullMQ finishes one and takes the next in one script). Nightcrew makes signed HTTP requests. On AWS ten claims share one and ten completions another; the emulator of this bench takes completions together, but each claim by itself.',
  'pg-boss completes or fails a batch as a whole here. In Nightcrew, graphile-worker and BullMQ each job has its own outcome.',
  'The stores give different guarantees: PostgreSQL syncs each commit to disk, Redis once a second, the emulators of DynamoDB and SQS not at all.',
  'Each of the peers needs a PostgreSQL or Redis, also while there is nothing to do.',
];
