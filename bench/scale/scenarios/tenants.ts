import { DYNAMO } from '../model/aws-limits.ts';
import { ScaleWorld } from '../model/scale-world.ts';
import { quantile } from '../../frame/spread.ts';
import { figuresOf, type RunFigures } from '../figures.ts';
import { noop, payloads } from './jobs.ts';

const TENANTS = 10_000;
const LARGE = 'large';
const OVER_MS = 60_000;
const CHUNK = 500;
const WORK_MS = 100;

/**
 * Many small tenants that send evenly, and one that sends as much as all of them together, at once: how long the small ones wait,
 * compared with a system of their own. Fifty executors, whose jobs take a tenth of a second.
 */
export async function runTenants(jobs: number): Promise<RunFigures> {
  const startedAt = performance.now();
  const alone = await runOnce(jobs, false);
  const together = await runOnce(jobs, true);
  return figuresOf(together.world, {
    size: jobs,
    jobs,
    drainMs: Math.max(0, together.world.lastEndedAt - together.start - OVER_MS),
    startedAt,
    own: {
      smallP50AloneMs: quantile(alone.small, 0.5),
      smallP50Ms: quantile(together.small, 0.5),
      smallP99AloneMs: quantile(alone.small, 0.99),
      smallP99Ms: quantile(together.small, 0.99),
      largeP99Ms: quantile(together.large, 0.99),
    },
  });
}

interface Waits {
  readonly world: ScaleWorld;
  readonly start: number;
  readonly small: readonly number[];
  readonly large: readonly number[];
}

async function runOnce(jobs: number, withLarge: boolean): Promise<Waits> {
  const waits: Readonly<Record<'small' | 'large', number[]>> = { small: [], large: [] };
  const world: ScaleWorld = new ScaleWorld({
    handlers: [noop.handle(() => world.time.clock.wait(WORK_MS))],
    settings: { maxConcurrency: 50 },
    tables: { writes: DYNAMO.quotaWrites, reads: DYNAMO.quotaReads },
    warmSources: true,
    onEntry: ({ event, job, queueDelayMs }) => {
      if (event === 'started') waits[job?.tenant === LARGE ? 'large' : 'small'].push(queueDelayMs ?? 0);
    },
  });
  const { time, client } = world;
  const start = time.now;
  const ofSmall = Math.ceil(jobs / 2);
  let failed = 0;
  const fails = (): void => void failed++;
  for (let at = 0; at < ofSmall; at++) {
    time.after((at / ofSmall) * OVER_MS, () => void client.enqueue(noop, { n: at }, { tenant: `small-${at % TENANTS}` }).catch(fails));
  }
  if (withLarge) {
    for (let from = 0; from < jobs - ofSmall; from += CHUNK) {
      const some = payloads(Math.min(CHUNK, jobs - ofSmall - from), from);
      void client.enqueueMany(noop, some, { tenant: LARGE }).then((report) => (failed += report.failed.length));
    }
  }
  const all = withLarge ? jobs : ofSmall;
  await world.runUntil(() => world.counts.completed + failed >= all, 24 * 60 * 60_000);
  if (failed > 0) throw new Error(`${failed} jobs were refused by tables that are warm.`);
  return { world, start, ...waits };
}
