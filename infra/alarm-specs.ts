/** Names of the alarms; each has an article of that name in `docs/operate/runbook.md`. */
export type AlarmName =
  | 'dead-letters'
  | 'crash-loops'
  | 'chain-depth'
  | 'jobs-without-handler'
  | 'oldest-ready-age'
  | 'lane-age'
  | 'group-backlog'
  | 'timer-lag'
  | 'acquirer-heartbeat'
  | 'sweeper-heartbeat'
  | 'failed-ticks'
  | 'tick-throttles'
  | 'store-failures'
  | 'quarantined-rows'
  | 'unreadable-messages'
  | 'function-throttles'
  | 'release-errors'
  | 'table-throttles';

/** `page`: jobs are late or stuck. `ticket`: check during the day. */
export type AlarmSeverity = 'page' | 'ticket';

/** Severity and meaning of an alarm. */
export interface AlarmSpec {
  readonly severity: AlarmSeverity;
  readonly meaning: string;
}

export const ALARM_SPECS: Readonly<Record<AlarmName, AlarmSpec>> = {
  'dead-letters': { severity: 'ticket', meaning: 'Jobs became dead letters and wait for an operator.' },
  'crash-loops': { severity: 'page', meaning: 'A job killed its process repeatedly and became a dead letter.' },
  'chain-depth': { severity: 'page', meaning: 'Jobs enqueue each other endlessly: a chain was cut off at its limit.' },
  'jobs-without-handler': { severity: 'page', meaning: 'Jobs whose type has no deployed handler are suspended.' },
  'oldest-ready-age': { severity: 'page', meaning: 'A due job has waited too long for an executor.' },
  'lane-age': { severity: 'ticket', meaning: 'Jobs of one lane wait too long, although other lanes may keep up.' },
  'group-backlog': { severity: 'ticket', meaning: 'Many grouped jobs are waiting, so one large group may block others.' },
  'timer-lag': { severity: 'page', meaning: 'Timers fire late.' },
  'acquirer-heartbeat': { severity: 'page', meaning: 'The acquirer has not finished a run: timers do not fire.' },
  'sweeper-heartbeat': { severity: 'page', meaning: 'The sweeper has not finished a run: lost hints and crashed jobs are not recovered.' },
  'failed-ticks': {
    severity: 'ticket',
    meaning: 'Ticks of the acquirer, the sweeper or the cleaner keep failing, or cannot be delivered.',
  },
  'tick-throttles': {
    severity: 'ticket',
    meaning: 'Lambda throttles the acquirer or the sweeper because the concurrency of the account is used up.',
  },
  'store-failures': {
    severity: 'ticket',
    meaning: 'One part of the work keeps failing: a shard, a segment of the scan, or the claims of a worker.',
  },
  'quarantined-rows': { severity: 'ticket', meaning: 'Rows that could not be read were quarantined as dead letters.' },
  'unreadable-messages': {
    severity: 'ticket',
    meaning: 'A dead-letter queue holds messages that are not hints, or hints that were received maxReceiveCount times.',
  },
  'function-throttles': { severity: 'ticket', meaning: 'Lambda throttles an executor because concurrency is used up.' },
  'release-errors': { severity: 'ticket', meaning: 'Invocations of a newly deployed version fail: CodeDeploy rolls the function back.' },
  'table-throttles': { severity: 'ticket', meaning: 'DynamoDB throttles a table.' },
};

/** An alarm's description: its severity, its meaning, and a link to the runbook. */
export function alarmDescription(name: AlarmName, runbook: string): string {
  const { severity, meaning } = ALARM_SPECS[name];
  return `[${severity}] ${meaning} Runbook: ${runbook}#${name}`;
}
