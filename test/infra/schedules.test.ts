import { describe, expect, it } from 'vitest';
import { defineJob } from '../../shared/job/job-type.ts';
import { defineSchedule } from '../../shared/features/schedules/model/definition.ts';
import { anyPayload } from '../support/rig.ts';
import { executorStack, WORKER_ENTRY } from './synth.ts';

const daily = (name: string, worker = 'default') =>
  defineSchedule(name, { job: defineJob('report', { payload: anyPayload, worker }), payload: {}, cron: '@daily' });

describe('the schedules of a deployment', () => {
  it('are taken by the construct', () => {
    expect(() => executorStack({ schedules: [daily('one'), daily('two')] })).not.toThrow();
  });

  it('may name a worker as it was called before', () => {
    const workers = { mail: { entry: WORKER_ENTRY, formerly: ['default'] } };
    expect(() => executorStack({ workers, schedules: [daily('one'), daily('two', 'mail')] })).not.toThrow();
  });

  it.each([
    ['two with one name', [daily('one'), daily('one')], /schedules\.1: "one" .*Rename one/],
    ['a worker that there is not', [daily('one', 'reports')], /schedules\.one: worker reports is not one of default/],
    [
      'a zone that there is not',
      [{ ...daily('one'), recurrence: { cron: '@daily', zone: 'Europe/Atlantis' } }],
      /zone: "Europe\/Atlantis"/,
    ],
    ['something else', [{ name: 'one' } as never], /type/],
    ['no list', { one: daily('one') } as never, /schedules: an object/],
  ])('are refused when the app is synthesized: %s', (_, schedules, message) => {
    expect(() => executorStack({ schedules })).toThrow(message);
  });
});
