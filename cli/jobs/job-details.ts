import { ATTRIBUTES, attributesThat } from '../../shared/job/attributes.ts';
import { wordsOf } from '../../operate/jobs/job-filter.ts';
import type { JobView } from '../../operate/jobs/job-view.ts';
import { gapBefore, gapName, gapText } from '../../shared/features/history/model/attempt-gaps.ts';
import type { PastError } from '../../shared/job/last-errors.ts';
import type { JobTimeline } from '../../operate/timeline.ts';
import type { AuditRecord } from '../../shared/features/audit/admin/audit-log.ts';
import type { AttemptEntry } from '../../shared/features/history/model/history-entry.ts';
import type { Show } from '../show.ts';
import { plain, plainLines } from '../text/plain.ts';
import { STATE_STYLE } from '../text/style.ts';
import { lengthText } from '../text/time.ts';

/** The course of a job, each list by time. */
export interface Course {
  readonly attempts?: readonly AttemptEntry[] | undefined;
  readonly acts?: readonly AuditRecord[] | undefined;
  readonly result?: JobTimeline['result'] | undefined;
}

/** Absent values are left out. */
const FIELDS = [
  ...attributesThat(({ shown = 'data', as }) => shown !== 'data' || as !== undefined).map((name) => ATTRIBUTES[name].as ?? name),
  ...(['parkedAt', 'limit'] as const),
] as readonly (keyof JobView)[];
const TEXTS = ['payload', 'handlerState', 'raw'] as const;
const WIDTH = Math.max(...[...FIELDS, ...TEXTS].map((name) => wordsOf(name).length)) + 2;

/** Everything that is known of one job, for people. */
export function tellJob(job: JobView, show: Show, course: Course = {}): void {
  show.line(`${plain(job.id)}  ${show.paint(STATE_STYLE[job.state], job.state)}`);
  for (const name of FIELDS) {
    const value = job[name];
    if (value === undefined || value === false || (value === 0 && name !== 'priority')) continue;
    show.line(`  ${label(name)}${value instanceof Date ? show.time(value) : plain(`${value as string | number | boolean}`)}`);
  }
  if (job.error !== undefined) {
    show.line(`  ${label('error')}${show.paint('bad', plain(`${job.error.name}: ${job.error.message}`))}  ${show.age(job.error.at)}`);
    if (job.error.stack !== undefined) show.line(indented(job.error.stack));
    for (const past of job.lastErrors?.slice(1) ?? []) tellPast(past, show);
  }
  for (const name of TEXTS) {
    const text = name === 'raw' ? job.raw : readableText(job, name);
    if (text !== undefined) show.line(`  ${label(name)}${plain(text)}`);
    if (name === 'payload' && (job.schemaVersion ?? 1) > 1) show.line(`  ${label('version')}${job.schemaVersion}`);
  }
  if (course.result !== undefined) show.line(`  ${label('result')}${plain(course.result.json)}`);
  tellCourse(course, show);
}

/** What a codec made of a payload says nothing to people, but where it is does. */
function readableText(job: JobView, name: 'payload' | 'handlerState'): string | undefined {
  if (job.codec === undefined || job[name] === undefined) return job[name];
  const { claim } = job;
  const place = name === 'handlerState' || claim === undefined ? '' : `; ${claim.bytes} bytes in the payload store, as ${claim.key}`;
  return `encoded by ${job.codec}${place}`;
}

function tellPast({ at, attempt, text }: PastError, show: Show): void {
  show.line(`  ${label('before')}${attempt === undefined ? '' : `attempt ${attempt}  `}${show.time(at)}  ${plain(text)}`);
}

function tellCourse({ attempts = [], acts = [] }: Course, show: Show): void {
  const left = [...acts];
  const tellActs = (until: number): void => {
    while (left[0] !== undefined && left[0].at.getTime() <= until) tellAct(left.shift() as AuditRecord, show);
  };
  for (const [index, entry] of attempts.entries()) {
    tellActs(entry.startedAt.getTime());
    const { attempt, startedAt, endedAt, outcome, reason, error } = entry;
    const gap = gapBefore(entry, attempts[index - 1]);
    if (gap !== undefined) show.line(`  ${gapName(gap)}  ${gapText(gap)}`);
    const took = lengthText(endedAt.getTime() - startedAt.getTime());
    const why = [reason, error && `${error.name}: ${error.message}`].filter((one) => one !== undefined).join(' · ');
    show.line(`  attempt ${attempt}  ${show.time(startedAt)}  ${took}  ${outcome}${why === '' ? '' : `  ${plain(why)}`}`);
  }
  tellActs(Infinity);
}

function tellAct({ at, verb, actor, detail, reason }: AuditRecord, show: Show): void {
  const why = [detail, reason].filter((one) => one !== undefined).join(' · ');
  show.line(`  ${plain(verb)} by ${plain(actor)}  ${show.time(at)}${why === '' ? '' : `  ${plain(why)}`}`);
}

function label(name: string): string {
  return `${wordsOf(name)}:`.padEnd(WIDTH);
}

function indented(text: string): string {
  return plainLines(text)
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');
}
