import { emptyQueues, fireTimer, sweep } from '../deployed/deployment-steps.ts';
import { ended, type Walk } from '../deployed/job-states.ts';
import { exhaustRetries, failForGood, payTwo, redrive, reportOfTheDay, takeOrder, takeTwice } from '../deployed/job-steps.ts';
import type { DeployedFunctions } from './deployed-functions.ts';
import { asSynthesized, delayed, enqueueWithoutMessage } from './localstack-steps.ts';

/** The figures of the walk. */
export interface LocalStackWalked {
  /** That completed. */
  readonly jobs: number;
  readonly deadLetters: number;
  readonly timerLateMs: number;
  /** Invocations by a rule. */
  readonly acquirerTicks: number;
  readonly sweeperTicks: number;
}

const A_TICK_AND_MORE_MS = 150_000;

/** Goes through the life of the example's jobs over tables, queues and rules that LocalStack deployed. Stops if its signal aborts. */
export async function walkOnLocalStack(walking: Walk, functions: DeployedFunctions): Promise<LocalStackWalked> {
  const { report, terms } = walking;
  const environment = functions.environment('OrderFunction');
  const started = terms.clock.now();
  let [jobs, deadLetters, timerLateMs] = [0, 0, 0];
  const go = async <T>(title: string, body: () => Promise<T>): Promise<T | undefined> =>
    terms.stopping.aborted ? undefined : report.step(title, body);
  const ran = (count: number | boolean | undefined): void => void (jobs += Number(count ?? 0));

  await go('tables and queues are as the template says', () => asSynthesized(environment));
  const timer = await go('an order is taken: its invoice is in History, its reminder in Timers', () => takeOrder(walking));
  const unsent = await go('a job is stored whose message is never sent', () => enqueueWithoutMessage(environment, 'walk-1'));
  ran(timer !== undefined);
  await go('the same order is not taken twice', () => takeTwice(walking));
  ran(await go('a report of the day is written', () => reportOfTheDay(walking)));
  ran(await go('a delayed job waits in its queue and runs at its time', () => delayed(walking)));
  const dead = await go('an invoice that cannot be written is a dead letter at once', () => failForGood(walking));
  if (dead !== undefined) {
    deadLetters += 1;
    ran(await go('corrected and redriven by two at once, it is written once', () => redrive(walking, dead)));
  }
  ran(await go('grouped webhooks arrive after refusals', () => payTwo(walking)));
  await go('they went through the FIFO queue', () => wentThrough(functions, '.fifo'));
  deadLetters += Number(
    (await go('a webhook that nobody takes is tried four times and then a dead letter', () => exhaustRetries(walking))) ?? 0,
  );
  if (timer !== undefined) {
    const late = await go('a timer fires from a tick of a rule, not early', () => fireTimer(walking, timer));
    if (late !== undefined) [jobs, timerLateMs] = [jobs + 1, late];
  }
  await go('a tick of a rule has run the sweeper to its end', () => sweep(walking, started));
  if (unsent !== undefined) {
    ran(await go('the job whose message was never sent is found by the sweeper', () => found(walking, unsent)));
  }
  await go('no queue holds a message: no tick failed, nothing was unreadable', () => emptyQueues(walking));
  return { jobs, deadLetters, timerLateMs, acquirerTicks: functions.ticks('JobsAcquirer'), sweeperTicks: functions.ticks('JobsSweeper') };
}

async function wentThrough(functions: DeployedFunctions, queue: string): Promise<void> {
  if (functions.batches(queue) === 0) throw new Error(`no batch came from a queue ${queue}`);
}

async function found(walking: Walk, id: string): Promise<true> {
  await ended(walking, id, 'completed', A_TICK_AND_MORE_MS);
  return true;
}
