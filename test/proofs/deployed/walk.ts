import { emptyQueues, fireTimer, forgetRefusedTicks, settle, sweep, switchOffAndOn } from './deployment-steps.ts';
import type { Walk } from './job-states.ts';
import { exhaustRetries, failForGood, payTwo, redrive, reportOfTheDay, takeOrder, takeTwice } from './job-steps.ts';

/** The figures of the walk. */
export interface Walked {
  /** That completed. */
  readonly jobs: number;
  readonly deadLetters: number;
  readonly timerLateMs: number;
}

/** Goes through the life of the deployed example's jobs, seen only from outside. Stops between two steps if its signal aborts. */
export async function walk(walking: Walk): Promise<Walked> {
  const { report, terms, target } = walking;
  const started = terms.clock.now();
  let [jobs, deadLetters, timerLateMs] = [0, 0, 0];
  const go = async <T>(title: string, body: () => Promise<T>): Promise<T | undefined> =>
    terms.stopping.aborted ? undefined : report.step(title, body);

  if (await go('its functions may do their work', () => settle(walking, started))) jobs += 1;
  const timer = await go('an order is taken: its invoice is written, its reminder waits', () => takeOrder(walking));
  if (timer !== undefined) jobs += 1;
  await go('the same order is not taken twice', () => takeTwice(walking));
  if (await go('a report of the day is written', () => reportOfTheDay(walking))) jobs += 1;
  const dead = await go('an invoice that cannot be written is a dead letter at once', () => failForGood(walking));
  if (dead !== undefined) {
    deadLetters += 1;
    if (await go('corrected and redriven by two at once, it is written once', () => redrive(walking, dead))) jobs += 1;
  }
  if (target.receiver === undefined) report.note('that webhooks arrive is not looked at: the worker cannot reach this machine');
  else jobs += (await go('webhooks of paid orders arrive after refusals, and their reminders are gone', () => payTwo(walking))) ?? 0;
  const buried = await go('a webhook that nobody takes is tried four times and then a dead letter', () => exhaustRetries(walking));
  if (buried) deadLetters += 1;
  if (timer !== undefined) {
    const late = await go('a timer fires from a tick of the Scheduler, not early', () => fireTimer(walking, timer));
    if (late !== undefined) [jobs, timerLateMs] = [jobs + 1, late];
  }
  await go('a tick has run the sweeper to its end, too', () => sweep(walking, started));
  await go('ticks that were refused before they had permissions are known', () => forgetRefusedTicks(walking, started));
  await go('no queue holds a message, those of failures neither', () => emptyQueues(walking));
  if (await go('switched off, the deployment keeps a job; switched on, it runs it', () => switchOffAndOn(walking))) jobs += 1;
  return { jobs, deadLetters, timerLateMs };
}
