import { expect, test } from 'vitest';
import { renderLine, renderView, rowsOf } from '../../local/view/render.ts';
import { quantile, type Snapshot } from '../../local/view/snapshot.ts';

const snapshot: Snapshot = {
  upMs: 3_725_000,
  orders: 40,
  counts: { waiting: 12, ready: 3, running: 2, suspended: 0, dead: 1 },
  completed: 61,
  cancelled: 9,
  retried: 4,
  timersFired: 5,
  resets: 1,
  throughput: 5.25,
  delay: { median: 12.4, p95: 80 },
  byType: [{ type: 'invoice.render', enqueued: 40, runs: 39, completed: 38 }],
  deadLetters: [{ id: 'x', type: 'webhook.deliver', reason: 'non-retryable', errorMessage: 'The receiver answered 410.' }],
};

test('the view shows each state, how fast it goes, and why jobs died', () => {
  const text = renderView(snapshot, 200).join('\n');
  const [heads = '', values = ''] = renderView(snapshot, 200).slice(2, 4);
  expect(heads.trim().split(/\s+/)).toEqual(['waiting', 'ready', 'running', 'suspended', 'dead', 'completed', 'cancelled']);
  expect(values.trim().split(/\s+/)).toEqual(['12', '3', '2', '0', '1', '61', '9']);
  for (const part of ['up 01:02:05', 'throughput 5.3/s', 'median 12 ms, p95 80 ms', 'timers fired 5', 'The receiver answered 410.'])
    expect(text).toContain(part);
});

test('no line is wider than the terminal', () => {
  expect(Math.max(...renderView(snapshot, 60).map((line) => line.length))).toBeLessThan(60);
});

test('a line that is wider than the terminal counts as the rows that it takes', () => {
  const lines = ['x'.repeat(80), 'x'.repeat(81), '', 'short'];
  expect(rowsOf(lines, 80)).toBe(5);
  expect(rowsOf(lines, 40)).toBe(2 + 3 + 1 + 1);
});

test('an error message with line breaks and escapes stays one harmless line', () => {
  const dead = { id: 'x', type: 'webhook.deliver', errorMessage: 'first\nsecond \u001b[2J\u009b1A third' };
  const lines = renderView({ ...snapshot, deadLetters: [dead] }, 200);
  expect(lines).toHaveLength(renderView(snapshot, 200).length);
  expect(lines.at(-1)).toBe('  webhook.deliver    first second  [2J 1A third');
});

test('without a terminal the same is one line of names and values', () => {
  expect(renderLine(snapshot)).toBe(
    '01:02:05 orders=40 waiting=12 ready=3 running=2 suspended=0 dead=1 completed=61 cancelled=9 retries=4 throughput=5.3/s delay=12ms/80ms',
  );
});

test.each([
  [[], 0.5, undefined],
  [[7], 0.95, 7],
  [[3, 1, 2, 4], 0.5, 3],
])('of %j the quantile %d is %s', (values, share, expected) => {
  expect(quantile(values, share)).toBe(expected);
});
