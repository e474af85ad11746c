import { dollars } from './bill.ts';
import type { PriceName } from './prices.ts';

/** Another way to run the same work, and its monthly cost. */
export interface Peer {
  readonly name: string;
  readonly usd: number;
  /** The arithmetic, for jobs due at once and for timers. */
  readonly how: string;
  /** What the total includes, and what it does not. */
  readonly includes: string;
  readonly prices: readonly PriceName[];
}

/** How much work: jobs due at once, and jobs due in thirty days. */
export interface PeerWork {
  readonly jobs: number;
  readonly timers: number;
}

const KB_WRITTEN = 2;
/** Lambda retains the state of durable functions for 14 days by default. */
const DURABLE_DAYS = 14;
const TEMPORAL_SUPPORT = 1.1;

/**
 * The same work elsewhere: one step for a job, one wait and one step for a timer, no retries, payloads below 1 KB, list prices without free
 * tiers, the handlers' own run time left out wherever it is paid apart. Where a price depends on how it is used, the cheaper use is taken.
 */
export function peers(work: PeerWork): readonly Peer[] {
  return [...awsPeers(work), ...otherPeers(work)];
}

function awsPeers({ jobs, timers }: PeerWork): readonly Peer[] {
  const all = jobs + timers;
  const queue = dollars('standardRequest', 0.3 * jobs + 1.2 * timers) + dollars('invocation', all / 10);
  const schedules = dollars('scheduledTick', timers);
  const each = dollars('invocation', all);
  const gigabytes = (all * KB_WRITTEN * 1_000) / 1e9;
  return [
    {
      name: 'EventBridge Scheduler + SQS + Lambda',
      usd: queue + schedules,
      how: 'a job: 0.3 SQS requests, a tenth of an invocation; a timer: one schedule, 1.2 requests, the same',
      includes:
        'no record of a job: no visible state, no cancelling once sent, no exactly-once completion, no groups or limits; timers within a minute',
      prices: ['scheduledTick', 'standardRequest', 'invocation'],
    },
    {
      name: 'the same with a row for each job that you write yourself',
      usd: queue + schedules + dollars('writeUnit', 3 * all),
      how: 'and three writes each',
      includes: 'the code for it is yours; timers within a minute',
      prices: ['scheduledTick', 'standardRequest', 'invocation', 'writeUnit'],
    },
    {
      name: 'Step Functions Standard',
      usd: dollars('stepTransition', jobs + 2 * timers) + each,
      how: 'a job: one transition for its one state, at least; a timer: two',
      includes: 'history for 90 days, visual flows; 25,000 events and 256 KB for each run',
      prices: ['stepTransition', 'invocation'],
    },
    {
      name: 'Step Functions Express',
      usd: dollars('expressRequest', all) + dollars('expressGbSecond', all * 0.1 * 0.0625) + schedules + each,
      how: 'one request, 100 ms of 64 MB; a timer: plus one schedule',
      includes: 'five minutes at most, no record but logs, which are not counted',
      prices: ['expressRequest', 'expressGbSecond', 'scheduledTick', 'invocation'],
    },
    {
      name: 'Lambda durable functions',
      usd:
        dollars('durableOperation', 2 * jobs + 3 * timers) +
        dollars('durableWrite', gigabytes) +
        dollars('durableStorage', (gigabytes * DURABLE_DAYS) / 30) +
        dollars('invocation', jobs + 2 * timers),
      how: 'a job: start and step; a timer: start, wait and step; 2 KB written, kept for 14 days; a timer is invoked twice',
      includes: 'code that waits in the middle; no groups, limits or fair queues',
      prices: ['durableOperation', 'durableWrite', 'durableStorage', 'invocation'],
    },
  ];
}

function otherPeers({ jobs, timers }: PeerWork): readonly Peer[] {
  const all = jobs + timers;
  return [
    {
      name: 'Google Cloud Tasks',
      usd: dollars('cloudTask', 2 * all),
      how: 'two operations each: create and push',
      includes: 'no compute; 30 days ahead at most; no record of what has run',
      prices: ['cloudTask'],
    },
    {
      name: 'QStash',
      usd: dollars('qstashMessage', all),
      how: 'one message each, pay as you go',
      includes: 'no compute: it calls your own endpoint; each retry is a message',
      prices: ['qstashMessage'],
    },
    {
      name: 'Trigger.dev',
      usd: dollars('triggerRun', all) + dollars('triggerSecond', all * 0.1),
      how: 'one run and 100 ms of the smallest machine each; the 50 dollars of the Pro plan are part of it',
      includes: 'compute, dashboard, logs; waits are free',
      prices: ['triggerRun', 'triggerSecond'],
    },
    {
      name: 'Inngest',
      usd: dollars('inngestPlan', 1) + dollars('inngestExecution', Math.max(0, all - 1_000_000)),
      how: 'one execution each on the Pro plan, at the price of the second to the fifth million: at most, volume prices are on request',
      includes: 'no compute: it calls your own endpoint; each step is one more execution',
      prices: ['inngestPlan', 'inngestExecution'],
    },
    {
      name: 'Temporal Cloud',
      usd: dollars('temporalAction', 2 * jobs + 3 * timers) * TEMPORAL_SUPPORT,
      how: 'a job: start and activity; a timer: start, timer and activity; Developer plan, 10 % for support',
      includes: 'no compute: your own workers run all the time; storage of histories is not counted',
      prices: ['temporalAction'],
    },
  ];
}
