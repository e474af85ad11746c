import type { Gauge, JournalEvent } from '../../ports/journal.ts';

/** CloudWatch namespace of all metrics. */
export const NAMESPACE = 'Nightcrew';

/** Dimensions of the metrics. `deployment` keeps several deployments of one account apart; a tenant is never a dimension. */
export const DIMENSIONS = { deployment: 'deployment', worker: 'worker', type: 'type' } as const;

/** Value of the dimension `deployment` where nothing was deployed: the local region and tests. */
export const LOCAL_DEPLOYMENT = 'local';

/** The metric that counts an event; events that are not here are only logged. */
export const COUNTED = {
  enqueued: 'JobsEnqueued',
  started: 'JobsStarted',
  completed: 'JobsCompleted',
  failed: 'JobsFailed',
  retried: 'JobsRetried',
  snoozed: 'JobsSnoozed',
  continued: 'JobsContinued',
  parked: 'JobsParked',
  released: 'JobsReleased',
  skipped: 'JobsSkipped',
  expired: 'JobsExpired',
  rerouted: 'JobsRerouted',
  'given-back': 'JobsGivenBack',
  'dead-lettered': 'JobsDeadLettered',
  crashed: 'JobsCrashed',
  cancelled: 'JobsCancelled',
  suspended: 'JobsSuspended',
  resumed: 'JobsResumed',
  redriven: 'JobsRedriven',
  'lost-claim': 'LostClaims',
  'lost-lease': 'LostLeases',
  'timers-fired': 'TimersFired',
  reset: 'Resets',
  quarantined: 'Quarantined',
  'send-failed': 'SendFailures',
  'store-failed': 'StoreFailures',
  'history-lost': 'HistoryLost',
  'unreadable-message': 'UnreadableMessages',
  'sandbox-ended': 'SandboxesEnded',
  'ambiguous-resolved': 'AmbiguousResolved',
  rescheduled: 'JobsRescheduled',
  replaced: 'JobsReplaced',
  'retries-set': 'RetriesSet',
  'hook-failed': 'HooksFailed',
  'events-lost': 'EventsLost',
  'unknown-settings': 'UnknownSettings',
  'unknown-rules': 'UnknownRules',
  'batches-refused': 'BatchesRefused',
  'ignored-while-off': 'IgnoredWhileOff',
} as const satisfies Readonly<Record<JournalEvent, string>>;

/** Counts that an alarm needs and that are part of another count: dead letters by crash loop and by chain limit, jobs suspended because no handler exists. */
export const COUNTED_APART = { crashLoop: 'CrashLoops', chainLimit: 'ChainLimits', noHandler: 'JobsWithoutHandler' } as const;

/** The metric of each duration of an entry, in milliseconds. */
export const DURATIONS = { queueDelayMs: 'QueueDelay', runMs: 'RunTime', timerLagMs: 'TimerLag' } as const;

/** The metric of each gauge and its unit. */
export const GAUGES = {
  'oldest-ready-age': { metric: 'OldestReadyAge', unit: 'Milliseconds' },
  'overdue-ready': { metric: 'OverdueReady', unit: 'Count' },
  'acquirer-heartbeat': { metric: 'AcquirerHeartbeat', unit: 'Count' },
  'sweeper-heartbeat': { metric: 'SweeperHeartbeat', unit: 'Count' },
} as const satisfies Readonly<Record<Gauge['name'], { readonly metric: string; readonly unit: string }>>;

type Named<Record_> = Record_[keyof Record_];

/** Name of any metric. */
export type MetricName = Named<typeof COUNTED> | Named<typeof COUNTED_APART> | Named<typeof DURATIONS> | Named<typeof GAUGES>['metric'];
