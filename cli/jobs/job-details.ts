import type { JobView } from '../../shared/admin/jobs/job-view.ts';
import { gapBefore, gapName, gapText } from '../../shared/features/history/model/attempt-gaps.ts';
import type { JobHistory } from '../../shared/features/history/model/history-entry.ts';
import type { Show } from '../show.ts';
import { plain, plainLines } from '../text/plain.ts';
import { STATE_STYLE } from '../text/style.ts';
import { lengthText } from '../text/time.ts';

/** In the order in which they are told; what is absent is left out. */
const FIELDS: readonly (keyof JobView)[] = [
  'type', 'worker', 'lane', 'priority', 'priorityFrom', 'tenant', 'group', 'exclusive', 'correlationId', 'batch', 'callbackOf', 'schedule', 'nominalAt',
  'dueAt', 'createdAt', 'startedAt', 'finishedAt', 'outcome', 'attempts', 'failures', 'crashes', 'snoozes', 'continuations', 'dispatches', 'chainDepth', 'rev',
  'retry', 'triesLimit', 'runNow', 'progress', 'progressText', 'cancelRequested', 'cancelReason', 'cancelledBy', 'lockOwner', 'lockExpiresAt', 'parkedAt', 'limit',
  'cause', 'suspendedAt', 'tryAt', 'reason', 'failedAt', 'fingerprint', 'requestId',
]; // oxfmt-ignore
const TEXTS = ['payload', 'handlerState', 'raw'] as const;
const WIDTH = Math.max(...[...FIELDS, ...TEXTS].map((name) => nameOf(name).length)) + 2;

/** Everything that is known of one job, for people. */
export function tellJob(job: JobView, show: Show, history?: JobHistory): void {
  show.line(`${plain(job.id)}  ${show.paint(STATE_STYLE[job.state], job.state)}`);
  for (const name of FIELDS) {
    const value = job[name];
    if (value === undefined || value === false || (value === 0 && name !== 'priority')) continue;
    show.line(`  ${label(name)}${value instanceof Date ? show.time(value) : plain(`${value as string | number | boolean}`)}`);
  }
  if (job.error !== undefined) {
    show.line(`  ${label('error')}${show.paint('bad', plain(`${job.error.name}: ${job.error.message}`))}  ${show.age(job.error.at)}`);
    if (job.error.stack !== undefined) show.line(indented(job.error.stack));
  }
  for (const name of TEXTS) {
    const text = job[name];
    if (text !== undefined) show.line(`  ${label(name)}${plain(text)}`);
  }
  tellAttempts(history, show);
}

function tellAttempts(history: JobHistory | undefined, show: Show): void {
  const attempts = history?.attempts ?? [];
  for (const [index, entry] of attempts.entries()) {
    const { attempt, startedAt, endedAt, outcome, reason, error } = entry;
    const gap = gapBefore(entry, attempts[index - 1]);
    if (gap !== undefined) show.line(`  ${gapName(gap)}  ${gapText(gap)}`);
    const took = lengthText(endedAt.getTime() - startedAt.getTime());
    const why = [reason, error && `${error.name}: ${error.message}`].filter((one) => one !== undefined).join(' · ');
    show.line(`  attempt ${attempt}  ${show.time(startedAt)}  ${took}  ${outcome}${why === '' ? '' : `  ${plain(why)}`}`);
  }
}

function label(name: string): string {
  return `${nameOf(name)}:`.padEnd(WIDTH);
}

function nameOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function indented(text: string): string {
  return plainLines(text)
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');
}
