import { CUSTOMER_BROKEN } from '../../examples/order-service/webhook-receiver.ts';
import type { JobSnapshot } from '../../shared/client/job-client.ts';
import type { Operator } from './operator.ts';
import { must, type Report, type RunTerms, until } from './report.ts';
import type { Target } from './target.ts';

/** What the steps work with. */
export interface Walk {
  readonly target: Target;
  readonly operator: Operator;
  readonly report: Report;
  readonly terms: RunTerms;
}

/** What the walk has measured. */
export interface Walked {
  readonly jobs: number;
  readonly deadLetters: number;
  readonly timerLateMs: number;
}

/** A tick comes within a minute, and Scheduler's first one too. */
const TIMER_AHEAD_MS = 75_000;
const FAILED_FOR_GOOD = 'walk-without-amount';

/** Goes through the life of the deployed example's jobs, seen only from outside. Stops between two steps when it is told to. */
export async function walk(walking: Walk): Promise<Walked> {
  const { report, terms, target } = walking;
  let [jobs, deadLetters, timerLateMs] = [0, 0, 0];
  const go = async <T>(title: string, body: () => Promise<T>): Promise<T | undefined> =>
    terms.stopping.aborted ? undefined : report.step(title, body);

  const timer = await go('an order is taken: its invoice is written, its reminder waits for three days', () => takeOrder(walking));
  if (timer !== undefined) jobs += 1;
  await go('the same order is not taken twice', () => takeTwice(walking));
  if (await go('a report of the day is written, once', () => reportOfTheDay(walking))) jobs += 1;
  const dead = await go('an invoice that cannot be written is a dead letter at once', () => failForGood(walking));
  if (dead !== undefined) {
    deadLetters += 1;
    if (await go('corrected and redriven by two at once, it is written once', () => redrive(walking, dead))) jobs += 1;
  }
  if (target.delivered === undefined) report.note('that webhooks arrive is not looked at: the worker cannot reach this machine');
  else jobs += (await go('paid orders of one customer: both webhooks arrive, both reminders are gone', () => payTwo(walking))) ?? 0;
  const buried = await go('a webhook that nobody takes is tried four times and then a dead letter', () => exhaustRetries(walking));
  if (buried) deadLetters += 1;
  if (timer !== undefined) {
    const late = await go('a timer fires from a tick of the Scheduler, not early', () => fireTimer(walking, timer));
    if (late !== undefined) [jobs, timerLateMs] = [jobs + 1, late];
  }
  if (await go('switched off, the deployment keeps a job; switched on, it runs it', () => switchOffAndOn(walking))) jobs += 1;
  return { jobs, deadLetters, timerLateMs };
}

interface WaitingTimer {
  readonly id: string;
  readonly orderId: string;
  readonly dueAt: number;
}

async function takeOrder(walking: Walk): Promise<WaitingTimer> {
  const { operator, terms } = walking;
  const { accepted, jobs } = await operator.order({ action: 'place', orderId: 'walk-1', customer: 'ada', amountCents: 1250 });
  must('accepted', accepted, true);
  await ended(walking, jobs['invoice.render'], 'completed');
  const id = given(jobs['payment.reminder']);
  must('the reminder', (await operator.jobs.get(id))?.state, 'waiting');
  const dueAt = terms.clock.now() + TIMER_AHEAD_MS;
  must('moving the reminder', await operator.patientJobs.reschedule(id, { runAt: new Date(dueAt) }), 'rescheduled');
  must('the reminder that was moved', (await operator.jobs.get(id))?.state, 'waiting');
  return { id, orderId: 'walk-1', dueAt };
}

async function takeTwice({ operator }: Walk): Promise<void> {
  const again = await operator.order({ action: 'place', orderId: 'walk-1', customer: 'ada', amountCents: 1250 });
  must('the reply', again, { accepted: false, jobs: {} });
}

async function reportOfTheDay(walking: Walk): Promise<true> {
  const { accepted, jobs } = await walking.operator.order({ action: 'report', day: '2026-01-31' });
  must('accepted', accepted, true);
  await ended(walking, jobs['report.daily'], 'completed');
  return true;
}

async function failForGood(walking: Walk): Promise<string> {
  const order = { action: 'place', orderId: FAILED_FOR_GOOD, customer: 'bob', amountCents: -1 } as const;
  const { jobs } = await walking.operator.order(order);
  const dead = await reach(walking, jobs['invoice.render'], 'dead');
  must('reason', dead.reason, 'failed');
  must('attempts', dead.attempts, 1);
  return dead.id;
}

async function redrive(walking: Walk, id: string): Promise<true> {
  const { operator } = walking;
  await operator.correctAmount(FAILED_FOR_GOOD, 1999);
  const outcomes = await Promise.all([operator.admin.redrive(id), operator.admin.redrive(id)]);
  must('redriven', outcomes.filter((outcome) => outcome === 'redriven').length, 1);
  const { attempts } = await ended(walking, id, 'completed');
  must('attempts since the redrive', attempts, 1);
  return true;
}

async function payTwo(walking: Walk): Promise<number> {
  const { operator, target, terms } = walking;
  const orders = ['walk-paid-1', 'walk-paid-2'];
  for (const orderId of orders) {
    const { jobs } = await operator.order({ action: 'place', orderId, customer: 'cleo', amountCents: 500 });
    const paid = await operator.order({ action: 'pay', orderId });
    must('cancelling the reminder', paid.reminder, 'cancelled');
    await ended(walking, jobs['payment.reminder'], 'cancelled');
    await ended(walking, jobs['invoice.render'], 'completed');
    await ended(walking, paid.jobs['webhook.deliver'], 'completed');
  }
  const arrived = async (): Promise<readonly string[]> => [...(target.delivered?.values() ?? [])].toSorted();
  await until(
    { what: 'webhooks', look: arrived, is: (seen) => orders.every((order) => seen.includes(order)), withinMs: target.patience.jobMs },
    terms,
  );
  return 2 * orders.length;
}

async function exhaustRetries(walking: Walk): Promise<true> {
  const { operator } = walking;
  await operator.order({ action: 'place', orderId: 'walk-broken', customer: CUSTOMER_BROKEN, amountCents: 500 });
  const { jobs } = await operator.order({ action: 'pay', orderId: 'walk-broken' });
  const dead = await reach(walking, jobs['webhook.deliver'], 'dead');
  must('reason', dead.reason, 'retries-exhausted');
  must('failures', dead.failures, 4);
  return true;
}

async function fireTimer(walking: Walk, { id, orderId, dueAt }: WaitingTimer): Promise<number> {
  const { operator, target, terms } = walking;
  await ended(walking, id, 'completed', Math.max(dueAt - terms.clock.now(), 0) + target.patience.timerLateMs);
  const remindedAt = (await operator.orders.get(orderId))?.remindedAt;
  const lateMs = Date.parse(given(remindedAt)) - dueAt;
  if (lateMs < 0) throw new Error(`the timer fired ${-lateMs} ms early`);
  if (lateMs > target.patience.timerLateMs) throw new Error(`the timer fired ${lateMs} ms late`);
  return lateMs;
}

/** Two looks apart, and far longer than the job took when the deployment was on. */
const STAYS_OFF_MS = 5_000;

async function switchOffAndOn(walking: Walk): Promise<true> {
  const { operator, terms } = walking;
  const off = await operator.activation.deactivate();
  must('schedules', new Set(Object.values(off.schedules)).has('ENABLED'), false);
  must('event sources', new Set(Object.values(off.eventSourceMappings)).has('Enabled'), false);
  try {
    const { jobs } = await operator.order({ action: 'place', orderId: 'walk-off', customer: 'dora', amountCents: 700 });
    const id = given(jobs['invoice.render']);
    await terms.clock.wait(STAYS_OFF_MS, terms.stopping);
    must('the job while off', (await operator.jobs.get(id))?.state, 'ready');
    await operator.activation.activate();
    await ended(walking, id, 'completed');
  } finally {
    await operator.activation.activate();
  }
  return true;
}

/** Waits until a job is in History, which keeps what became of it. */
async function ended(
  walking: Walk,
  id: string | undefined,
  outcome: 'completed' | 'cancelled',
  withinMs: number = walking.target.patience.jobMs,
): Promise<JobSnapshot> {
  const job = await reach(walking, id, 'finished', withinMs);
  must(`the outcome of ${job.type}`, job.outcome, outcome);
  return job;
}

async function reach(
  { operator, target, terms }: Walk,
  id: string | undefined,
  state: 'finished' | 'dead',
  withinMs: number = target.patience.jobMs,
): Promise<JobSnapshot> {
  const look = (): Promise<JobSnapshot | undefined> => operator.jobs.get(given(id));
  return given(await until({ what: `a job that is ${state}`, look, is: (job) => job?.state === state, withinMs }, terms));
}

function given<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('something that should be there is missing');
  return value;
}
