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
  | 'store-failures'
  | 'quarantined-rows'
  | 'unreadable-messages'
  | 'function-throttles'
  | 'table-throttles';

/** `page`: jobs are late or stand still. `ticket`: somebody should look during the day. */
export type AlarmSeverity = 'page' | 'ticket';

/** What an alarm says of itself. */
export interface AlarmSpec {
  readonly severity: AlarmSeverity;
  readonly meaning: string;
}

export const ALARM_SPECS: Readonly<Record<AlarmName, AlarmSpec>> = {
  'dead-letters': { severity: 'ticket', meaning: 'Jobs ended as dead letters and wait for an operator.' },
  'crash-loops': { severity: 'page', meaning: 'A job kills the process that runs it, again and again.' },
  'chain-depth': { severity: 'page', meaning: 'Jobs enqueue each other without end: a chain was cut off at its limit.' },
  'jobs-without-handler': { severity: 'page', meaning: 'Jobs of a type that no deployed handler knows are parked.' },
  'oldest-ready-age': { severity: 'page', meaning: 'A job that is due has waited too long for an executor.' },
  'lane-age': { severity: 'ticket', meaning: 'Jobs of one lane wait long, whatever the other lanes do.' },
  'group-backlog': { severity: 'ticket', meaning: 'So many grouped jobs wait that one large group may hide others.' },
  'timer-lag': { severity: 'page', meaning: 'Timers fire late.' },
  'acquirer-heartbeat': { severity: 'page', meaning: 'The acquirer has not finished a run: timers do not fire.' },
  'sweeper-heartbeat': { severity: 'page', meaning: 'The sweeper has not finished a run: lost hints and crashed jobs are not recovered.' },
  'store-failures': {
    severity: 'ticket',
    meaning: 'A part of the work fails again and again: a shard, a segment of the scan, or the claims of a worker.',
  },
  'quarantined-rows': { severity: 'ticket', meaning: 'Rows that could not be read were set aside as dead letters.' },
  'unreadable-messages': { severity: 'ticket', meaning: 'Messages that are no hints lie in a dead-letter queue.' },
  'function-throttles': { severity: 'ticket', meaning: 'Lambda refuses to start a function for want of concurrency.' },
  'table-throttles': { severity: 'ticket', meaning: 'DynamoDB throttles a table.' },
};

/** What an alarm's description says: how urgent, what it means, and where to read what to do. */
export function alarmDescription(name: AlarmName, runbook: string): string {
  const { severity, meaning } = ALARM_SPECS[name];
  return `[${severity}] ${meaning} Runbook: ${runbook}#${name}`;
}
