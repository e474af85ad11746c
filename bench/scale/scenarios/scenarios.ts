import type { RunFigures } from '../figures.ts';
import { runArrival } from './burst.ts';
import { runBacklog } from './backlog.ts';
import { runSchedules } from './schedules.ts';
import { runTenants } from './tenants.ts';
import type { Share } from '../share.ts';
import { runTimers } from './timers.ts';

/** One question of scale. */
export interface Scenario {
  readonly name: string;
  /** The workload, in the words of the report. */
  readonly what: string;
  /** The unit of `size`. */
  readonly unit: string;
  /** The full size. */
  readonly full: number;
  /** The part of it that a run of all benches has time for. */
  readonly usual: Share;
  /** Approximate time of its full size, in seconds of one core. */
  readonly fullSeconds: number;
  readonly run: (size: number) => Promise<RunFigures>;
}

const MINUTE_MS = 60_000;
const MILLION = 1_000_000;
const STEADY_SECONDS = 30;
const MONTH_DAYS = 31;
const plenty = { warmTables: true, warmSources: false, maxConcurrency: 1_000 } as const;

/** Every scenario, in the order of the report. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'steady',
    what: `10,000 jobs a second for ${STEADY_SECONDS} s, tables and event source warm; a smaller size is a lower rate`,
    unit: 'jobs',
    full: 10_000 * STEADY_SECONDS,
    usual: 'full',
    fullSeconds: 50,
    run: (jobs) => runArrival({ ...plenty, jobs, overMs: STEADY_SECONDS * 1_000, warmSources: true }),
  },
  {
    name: 'burst-minute',
    what: 'a million jobs enqueued within one minute, tables warm, event source cold; a smaller size is the same rate for a part of the minute',
    unit: 'jobs',
    full: MILLION,
    usual: 'full',
    fullSeconds: 150,
    run: (jobs) => runArrival({ ...plenty, jobs, overMs: (MINUTE_MS * jobs) / MILLION }),
  },
  {
    name: 'timers-warm',
    what: 'timers due in the same second, tables warmed to 40,000 units',
    unit: 'timers',
    full: MILLION,
    usual: 'full',
    fullSeconds: 250,
    run: (timers) => runTimers(timers, true),
  },
  {
    name: 'timers-fresh',
    what: 'the same on new tables of 4,000 write units; boundSeconds is what no design with these writes can beat',
    unit: 'timers',
    full: MILLION,
    usual: 'tenth',
    fullSeconds: 200,
    run: (timers) => runTimers(timers, false),
  },
  {
    name: 'tenants',
    what: '10,000 tenants, one of which sends half of everything at once; 50 executors, jobs of 100 ms',
    unit: 'jobs',
    full: 200_000,
    usual: 'tenth',
    fullSeconds: 100,
    run: runTenants,
  },
  {
    name: 'groups',
    what: 'jobs in 10,000 exclusive groups, enqueued within one minute, over the FIFO queue',
    unit: 'jobs',
    full: 500_000,
    usual: 'tenth',
    fullSeconds: 150,
    run: (jobs) => runArrival({ ...plenty, jobs, overMs: MINUTE_MS, inGroups: true }),
  },
  {
    name: 'backlog',
    what: 'ready jobs that wait under the sweeper, one hint in a hundred lost, 2,500 read units a run',
    unit: 'jobs',
    full: 5 * MILLION,
    usual: 'full',
    fullSeconds: 340,
    run: (jobs) => runBacklog(jobs, 2_500),
  },
  {
    name: 'backlog-fast',
    what: 'the same with sweepReadUnits at its most: what one run of a minute sees',
    unit: 'jobs',
    full: 5 * MILLION,
    usual: 'hundredth',
    fullSeconds: 300,
    run: (jobs) => runBacklog(jobs, MILLION),
  },
  {
    name: 'schedules',
    what: 'a year of schedules, 60 % monthly in the same second, 35 % weekly in the same second, 5 % daily',
    unit: 'schedules',
    full: 20_000,
    usual: 'hundredth',
    fullSeconds: 500,
    run: (schedules) => runSchedules(schedules),
  },
  {
    name: 'schedules-month',
    what: `the same for the first ${MONTH_DAYS} days of the year, which hold what is due in the same second`,
    unit: 'schedules',
    full: 20_000,
    usual: 'full',
    fullSeconds: 50,
    run: (schedules) => runSchedules(schedules, MONTH_DAYS),
  },
];
