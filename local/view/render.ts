import type { Snapshot } from './snapshot.ts';

const DEAD_LETTERS_SHOWN = 3;
/** An error message must not move the cursor, nor break a line that the next redraw counts. */
// oxlint-disable-next-line no-control-regex -- it removes control characters
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;

/** The live view as lines, cut to `columns`. */
export function renderView(snapshot: Snapshot, columns: number): readonly string[] {
  const { counts } = snapshot;
  const states = { waiting: counts.waiting, ready: counts.ready, running: counts.running, suspended: counts.suspended, dead: counts.dead };
  const ends = { completed: snapshot.completed, cancelled: snapshot.cancelled };
  return [
    `Nightcrew, local region   up ${clockText(snapshot.upMs)}   orders ${snapshot.orders}   Ctrl-C stops`,
    '',
    cells({ ...states, ...ends }, (name) => name),
    cells({ ...states, ...ends }, (_, value) => String(value)),
    '',
    `throughput ${snapshot.throughput.toFixed(1)}/s   delay ${delayText(snapshot)}   retries ${snapshot.retried}   timers fired ${snapshot.timersFired}   resets ${snapshot.resets}`,
    '',
    `${'type'.padEnd(18)}${['enqueued', 'runs', 'completed'].map((head) => head.padStart(10)).join('')}`,
    ...snapshot.byType.map(
      ({ type, enqueued, runs, completed }) =>
        `${type.padEnd(18)}${[enqueued, runs, completed].map((n) => String(n).padStart(10)).join('')}`,
    ),
    '',
    `dead letters ${snapshot.deadLetters.length}`,
    ...snapshot.deadLetters.slice(-DEAD_LETTERS_SHOWN).map((dead) => `  ${dead.type}  ${dead.reason ?? ''}  ${dead.errorMessage ?? ''}`),
  ].map((line) => line.replace(CONTROL, ' ').slice(0, Math.max(20, columns - 1)));
}

/** Terminal rows that lines take: one that is too wide continues in the next row. */
export function rowsOf(lines: readonly string[], columns: number): number {
  return lines.reduce((rows, line) => rows + Math.max(1, Math.ceil(line.length / columns)), 0);
}

/** The same as one plain line, for output that is not a terminal. */
export function renderLine(snapshot: Snapshot): string {
  const { counts } = snapshot;
  return [
    clockText(snapshot.upMs),
    `orders=${snapshot.orders}`,
    ...Object.entries(counts).map(([state, count]) => `${state}=${count}`),
    `completed=${snapshot.completed}`,
    `cancelled=${snapshot.cancelled}`,
    `retries=${snapshot.retried}`,
    `throughput=${snapshot.throughput.toFixed(1)}/s`,
    `delay=${delayText(snapshot).replaceAll(' ms', 'ms').replace(', p95 ', '/').replace('median ', '')}`,
  ].join(' ');
}

function cells(values: Readonly<Record<string, number>>, text: (name: string, value: number) => string): string {
  return Object.entries(values)
    .map(([name, value]) => text(name, value).padStart(Math.max(9, name.length + 2)))
    .join('');
}

function delayText({ delay }: Snapshot): string {
  return delay === undefined ? '-' : `median ${Math.round(delay.median)} ms, p95 ${Math.round(delay.p95)} ms`;
}

function clockText(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map((part) => String(part).padStart(2, '0')).join(':');
}
