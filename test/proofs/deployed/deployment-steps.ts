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
  await until({ what: 'a run of the sweeper', look, is, withinMs: target.patience.tickMs + TICK_TIMEOUT_MS }, terms);
  return true;
}

/**
 * Waits until the roles of the new stack may do what their policies say: until the order function takes an order, and acquirer and sweeper
 * have ticked to their end. Ticks before that may have been refused.
 */
export async function settle({ operator, target, terms }: Walk, since: number): Promise<true> {
  const { permissionsMs, tickMs, jobMs } = target.patience;
  const takes = (): Promise<string> =>
    operator.order({ action: 'report', day: '2026-01-30' }).then(
      () => '',
      (error: unknown) => String(error),
    );
  const taken = { what: 'an order function that takes orders', look: takes, is: (refused: string) => refused === '' };
  await until({ ...taken, withinMs: permissionsMs + jobMs }, terms);
  if (permissionsMs === 0) return true;
  for (const who of ['acquirer', 'sweeper']) {
    const look = (): Promise<string | undefined> => operator.lastHeartbeat(who);
    const is = (at: string | undefined): boolean => at !== undefined && Date.parse(at) >= since;
    await until({ what: `a tick of the ${who}`, look, is, withinMs: permissionsMs + tickMs + TICK_TIMEOUT_MS }, terms);
  }
  return true;
}

/** Deletes ticks that were refused before the roles had their permissions. Later ones stay, and `emptyQueues` finds them. */
export async function forgetRefusedTicks({ operator, target, report }: Walk, since: number): Promise<true> {
  const forgotten = await operator.deleteFailedTicks(since + target.patience.permissionsMs);
  if (forgotten > 0) report.note(`${forgotten} ticks were refused before the functions had their permissions`);
  return true;
}

/** A tick that failed, an event that a function gave up on, a message that is not a hint: in AWS each would be in a queue. */
export async function emptyQueues({ operator, target, terms }: Walk): Promise<true> {
  const is = (seen: Readonly<Record<string, number>>): boolean => Object.values(seen).every((count) => count === 0);
  await until({ what: 'empty queues', look: () => operator.messages(), is, withinMs: target.patience.jobMs }, terms);
  return true;
}

/** Default of `acquirerTimeout` and `sweeperTimeout`. */
const TICK_TIMEOUT_MS = 60_000;
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
