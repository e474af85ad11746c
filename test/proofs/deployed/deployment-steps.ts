import { ended, given, type Walk } from './job-states.ts';
import type { WaitingTimer } from './job-steps.ts';
import { must, until } from './report.ts';

/** Returns how late it was, in milliseconds. Only a tick of the acquirer brings a job out of Timers. */
export async function fireTimer(walking: Walk, { id, orderId, dueAt }: WaitingTimer): Promise<number> {
  const { operator, target, terms } = walking;
  await ended(walking, id, 'completed', Math.max(dueAt - terms.clock.now(), 0) + target.patience.timerLateMs);
  const remindedAt = (await operator.orders.get(orderId))?.remindedAt;
  const lateMs = Date.parse(given(remindedAt, 'the note of the reminder')) - dueAt;
  if (lateMs < 0) throw new Error(`the timer fired ${-lateMs} ms early`);
  if (lateMs > target.patience.timerLateMs) throw new Error(`the timer fired ${lateMs} ms late`);
  return lateMs;
}

/** A tick of the Scheduler that ran the sweeper to its end: the last thing it does is to say so. */
export async function sweep({ operator, target, terms }: Walk, since: number): Promise<true> {
  const look = (): Promise<string | undefined> => operator.lastHeartbeat('sweeper');
  const is = (at: string | undefined): boolean => at !== undefined && Date.parse(at) >= since;
  await until({ what: 'a run of the sweeper', look, is, withinMs: TICK_MS + target.patience.timerLateMs }, terms);
  return true;
}

/** A tick that failed, an event that a function gave up on, a message that is no hint: in AWS each would lie in a queue. */
export async function emptyQueues({ operator, target, terms }: Walk): Promise<true> {
  const is = (seen: Readonly<Record<string, number>>): boolean => Object.values(seen).every((count) => count === 0);
  await until({ what: 'empty queues', look: () => operator.messages(), is, withinMs: target.patience.jobMs }, terms);
  return true;
}

const TICK_MS = 60_000;
/** Far longer than a job took when the deployment was on. */
const STAYS_OFF_MS = 5_000;

/** A job that is enqueued while nothing runs waits, and runs afterwards. */
export async function switchOffAndOn(walking: Walk): Promise<true> {
  const { operator } = walking;
  const off = await operator.activation.deactivate();
  try {
    must('schedules', [...new Set(Object.values(off.schedules))], ['DISABLED']);
    must('event sources', [...new Set(Object.values(off.eventSourceMappings))], ['Disabled']);
    const id = await enqueueWhileOff(walking);
    await operator.activation.activate();
    const { attempts } = await ended(walking, id, 'completed');
    must('attempts', attempts, 1);
  } finally {
    await operator.activation.activate();
  }
  return true;
}

async function enqueueWhileOff({ operator, terms }: Walk): Promise<string> {
  const { jobs } = await operator.order({ action: 'place', orderId: 'walk-off', customer: 'dora', amountCents: 700 });
  const id = given(jobs['invoice.render'], 'the invoice');
  await terms.clock.wait(STAYS_OFF_MS, terms.stopping);
  must('the job while off', (await operator.jobs.get(id))?.state, 'ready');
  return id;
}
