import { shown } from '../../shared/job/errors.ts';
import type { Call } from '../call.ts';
import { flagName } from '../open-call.ts';
import { UsageError } from '../exit.ts';
import type { Flag } from '../verb.ts';
import { amountOf } from './amount.ts';
import { EXTRAS } from './extras.ts';
import { EMPTY_WORKLOAD, type HistoryChoice, type Workload } from './workload.ts';

/** How much there is to run. */
export const WORK_FLAGS: readonly Flag[] = [
  { flags: '--jobs <count>', doc: 'jobs a month that are due at once or within 15 minutes: 250000, 250k, 1.5M, 2B' },
  { flags: '--timers <count>', doc: 'jobs a month that are due later' },
];

const HISTORY: readonly HistoryChoice[] = ['off', 'outcome', 'durable'];

/** The workload of one month. */
export const WORKLOAD_FLAGS: readonly Flag[] = [
  ...WORK_FLAGS,
  {
    flags: '--also <what=count>',
    doc: `what some of these jobs use: ${[...EXTRAS].map(([name, { doc }]) => `${name} (${doc})`).join(', ')}`,
    many: true,
  },
  { flags: '--timer-days <days>', doc: 'how long a timer waits; default 30' },
  { flags: '--item-kb <kb>', doc: 'size of a job as it is stored, in KB, 1 to 390; default 1' },
  { flags: '--per-send <count>', doc: 'jobs per enqueue call, 1 to 10; default 10, as enqueueMany does' },
  { flags: '--per-batch <count>', doc: 'jobs per delivery batch, 1 to 10000; default 10' },
  { flags: '--handler-ms <ms>', doc: 'run time of the handlers per delivery batch; default 0: only the cost of Nightcrew itself' },
  { flags: '--history <mode>', doc: 'whether finished jobs are kept; default outcome', choices: HISTORY },
  { flags: '--history-days <days>', doc: 'for how long, 1 to 365; default 3' },
  { flags: '--backlog <count>', doc: 'jobs that are ready or running at any time, which the sweeper reads each minute; default 0' },
];

/** The workload of a call. Throws UsageError naming the option for an invalid or out-of-range count. */
export function workloadOf(call: Call): Workload {
  const amount = (name: 'jobs' | 'timers' | 'backlog'): number => amountFlag(call, name) ?? EMPTY_WORKLOAD[name];
  const [jobs, timers] = [amount('jobs'), amount('timers')];
  return {
    jobs,
    timers,
    backlog: amount('backlog'),
    timerDays: within(call, 'timerDays', [0, 3_650]),
    itemKb: within(call, 'itemKb', [1, 390]),
    perSend: within(call, 'perSend', [1, 10]),
    perBatch: within(call, 'perBatch', [1, 10_000]),
    handlerMs: within(call, 'handlerMs', [0, 900_000]),
    historyDays: within(call, 'historyDays', [1, 365]),
    history: HISTORY.find((mode) => mode === call.text('history')) ?? EMPTY_WORKLOAD.history,
    also: alsoOf(call.texts('also') ?? [], jobs + timers),
  };
}

/** A count by the name of its option; undefined when it is not given. */
export function amountFlag(call: Call, name: string): number | undefined {
  const text = call.text(name);
  return text === undefined ? undefined : amountOf(flagName(name), text);
}

type RangedName = 'timerDays' | 'itemKb' | 'perSend' | 'perBatch' | 'handlerMs' | 'historyDays';

function within(call: Call, name: RangedName, [min, max]: readonly [number, number]): number {
  const value = call.whole(name) ?? EMPTY_WORKLOAD[name];
  if (value >= min && value <= max) return value;
  throw new UsageError(`${flagName(name)} ${value} is outside its range. Use a whole number from ${min} to ${max}.`);
}

function alsoOf(texts: readonly string[], runs: number): ReadonlyMap<string, number> {
  const also = new Map<string, number>();
  for (const text of texts) {
    const [name = '', count] = text.split('=', 2);
    if (!EXTRAS.has(name)) throw new UsageError(`--also ${shown(name)} is unknown. Use one of ${[...EXTRAS.keys()].join(', ')}.`);
    if (count === undefined) throw new UsageError(`--also ${shown(text)} has no count. Use ${name}=<count>.`);
    also.set(name, (also.get(name) ?? 0) + amountOf(`--also ${name}`, count));
  }
  for (const [name, count] of also) {
    if (EXTRAS.get(name)?.once === true && count > runs) {
      throw new UsageError(`--also ${name}=${count} is more than the ${runs} jobs and timers of the month. Use ${runs} at most.`);
    }
  }
  return also;
}
