import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { stopOnSignals } from '../../local/stop-on-signals.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';

function listening() {
  const clock = new SettableClock();
  const source = new EventEmitter();
  const ended: number[] = [];
  const signal = stopOnSignals(source, () => ended.push(clock.now()), clock);
  return { clock, source, ended, signal };
}

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('the first %s asks to stop', (name) => {
  const { source, ended, signal } = listening();
  expect(signal.aborted).toBe(false);
  source.emit(name);
  expect([signal.aborted, ended.length]).toEqual([true, 0]);
});

test('a Ctrl-C that npm passes on a second time does not end the process', async () => {
  const { clock, source, ended } = listening();
  source.emit('SIGINT');
  await clock.advance(50);
  source.emit('SIGINT');
  expect(ended).toEqual([]);
});

test('a second Ctrl-C ends the process at once', async () => {
  const { clock, source, ended } = listening();
  source.emit('SIGINT');
  await clock.advance(1_000);
  source.emit('SIGINT');
  expect(ended).toHaveLength(1);
});
