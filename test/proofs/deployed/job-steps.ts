import { CUSTOMER_BROKEN } from '../../../examples/order-service/webhook-receiver.ts';
import { ended, given, reached, type Walk } from './job-states.ts';
import { must, until } from './report.ts';

/** Beyond the longest time between two ticks: the tick must come ahead of the timer. */
const TIMER_AFTER_TICK_MS = 15_000;
const FAILED_FOR_GOOD = 'walk-without-amount';

/** A reminder that was moved close, but not so close that a message could bring it. */
export interface WaitingTimer {
  readonly id: string;
  readonly orderId: string;
  readonly dueAt: number;
}

/** An order is placed, its invoice finishes; its reminder is moved, and waits in Timers. */
export async function takeOrder(walking: Walk): Promise<WaitingTimer> {
  const { operator, target, terms } = walking;
  const { accepted, jobs } = await operator.order({ action: 'place', orderId: 'walk-1', customer: 'ada', amountCents: 1250 });
  must('accepted', accepted, true);
  await ended(walking, jobs['invoice.render'], 'completed');
  const id = given(jobs['payment.reminder'], 'the reminder');
  must('the reminder', (await operator.jobs.get(id))?.state, 'waiting');
  const dueAt = terms.clock.now() + target.patience.tickMs + TIMER_AFTER_TICK_MS;
  must('moving the reminder', await operator.patientJobs.reschedule(id, { runAt: new Date(dueAt) }), 'rescheduled');
  must('the reminder that was moved', (await operator.jobs.get(id))?.state, 'waiting');
  return { id, orderId: 'walk-1', dueAt };
}

/** The order function's own transaction keeps jobs from being enqueued for an order that is there. */
export async function takeTwice({ operator }: Walk): Promise<void> {
  const again = await operator.order({ action: 'place', orderId: 'walk-1', customer: 'ada', amountCents: 1250 });
  must('the reply', again, { accepted: false, jobs: {} });
}

/** A job with a unique key. */
export async function reportOfTheDay(walking: Walk): Promise<true> {
  const { accepted, jobs } = await walking.operator.order({ action: 'report', day: '2026-01-31' });
  must('accepted', accepted, true);
  await ended(walking, jobs['report.daily'], 'completed');
  return true;
}

/** A handler that says `fail`: one attempt. Returns the id of the dead letter. */
export async function failForGood(walking: Walk): Promise<string> {
  const order = { action: 'place', orderId: FAILED_FOR_GOOD, customer: 'bob', amountCents: -1 } as const;
  const { jobs } = await walking.operator.order(order);
  const dead = await reached(walking, jobs['invoice.render'], 'dead');
  must('reason', dead.reason, 'failed');
  must('attempts', dead.attempts, 1);
  return dead.id;
}

/** Two operators at once: one redrives, the job runs once, with fresh counters. */
export async function redrive(walking: Walk, id: string): Promise<true> {
  const { operator } = walking;
  await operator.correctAmount(FAILED_FOR_GOOD, 1999);
  const outcomes = await Promise.all([operator.admin.redrive(id), operator.admin.redrive(id)]);
  must('redriven', outcomes.filter((outcome) => outcome === 'redriven').length, 1);
  const { attempts } = await ended(walking, id, 'completed');
  must('attempts since the redrive', attempts, 1);
  return true;
}

/** Grouped jobs, whose receiver refuses each a few times. Returns how many jobs completed. */
export async function payTwo(walking: Walk): Promise<number> {
  const { operator, target, terms } = walking;
  const receiver = given(target.receiver, 'the receiver');
  const orders = ['walk-paid-1', 'walk-paid-2'];
  for (const orderId of orders) {
    const { jobs } = await operator.order({ action: 'place', orderId, customer: 'cleo', amountCents: 500 });
    const paid = await operator.order({ action: 'pay', orderId });
    must('cancelling the reminder', paid.reminder, 'cancelled');
    await ended(walking, jobs['payment.reminder'], 'cancelled');
    await ended(walking, jobs['invoice.render'], 'completed');
    await ended(walking, paid.jobs['webhook.deliver'], 'completed');
  }
  const look = async (): Promise<readonly string[]> => [...receiver.delivered.values()];
  const is = (seen: readonly string[]): boolean => orders.every((order) => seen.includes(order));
  await until({ what: 'webhooks', look, is, withinMs: target.patience.jobMs }, terms);
  for (const status of ['503', '500', '429']) {
    if ((receiver.answers.get(status) ?? 0) === 0) throw new Error(`the receiver never answered ${status}, so nothing was tried again`);
  }
  return 2 * orders.length;
}

/** A receiver that never takes a webhook. */
export async function exhaustRetries(walking: Walk): Promise<true> {
  const { operator } = walking;
  await operator.order({ action: 'place', orderId: 'walk-broken', customer: CUSTOMER_BROKEN, amountCents: 500 });
  const { jobs } = await operator.order({ action: 'pay', orderId: 'walk-broken' });
  const dead = await reached(walking, jobs['webhook.deliver'], 'dead');
  must('reason', dead.reason, 'retries-exhausted');
  must('failures', dead.failures, 4);
  return true;
}
