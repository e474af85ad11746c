import { Lazy } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { JobExecutor } from '../../infra/job-executor.ts';
import type { JobMetricOptions } from '../../infra/metrics.ts';
import { executorStack, executorTemplate, WORKER_ENTRY } from './synth.ts';
import type { WrongValues } from '../support/wrong-values.ts';

const workers = { default: { entry: WORKER_ENTRY }, reports: { outside: true, formerly: ['lists'] } } as const;

describe('the metrics of a job executor', () => {
  it('are sums of counts, the worst of ages and the 99th percentile of durations', () => {
    const { jobs } = executorStack({ workers });
    expect([jobs.metricJobsFailed(), jobs.metricOldestReadyAge(), jobs.metricQueueDelay()].map(({ statistic }) => statistic)).toEqual([
      'Sum',
      'Maximum',
      'p99',
    ]);
    expect(jobs.metricJobsFailed({ worker: 'reports', statistic: 'avg' })).toMatchObject({
      statistic: 'Average',
      dimensions: { worker: 'reports' },
    });
  });

  it('are of a worker, or of its former name while jobs have it', () => {
    const { jobs } = executorStack({ workers });
    const later = Lazy.string({ produce: () => 'reports' });
    for (const worker of ['default', 'reports', 'lists', later]) {
      expect(jobs.metricJobsFailed({ worker }).dimensions).toMatchObject({ worker });
      expect(jobs.metricTimerLag({ worker }).dimensions).toMatchObject({ worker });
    }
  });

  it('are of the whole deployment where something is published of that', () => {
    const { jobs } = executorStack({ workers });
    for (const name of ['TimerLag', 'StoreFailures', 'Quarantined', 'SweeperHeartbeat', 'OldestReadyAge'] as const) {
      expect(jobs.metric(name, { worker: 'all' }).dimensions).toMatchObject({ worker: 'all' });
    }
    for (const name of ['JobsFailed', 'JobsCancelled', 'JobsWithoutHandler', 'RunTime', 'QueueDelay'] as const) {
      expect(() => jobs.metric(name, { worker: 'all' })).toThrow(
        `metric.worker: "all" is not valid. ${name} is published of each worker alone. Known are: default, reports.`,
      );
    }
  });

  it.each(['OldestReadyAge', 'OverdueReady', 'AcquirerHeartbeat', 'SweeperHeartbeat'] as const)(
    'are not of workers or types: %s',
    (name) => {
      const { jobs } = executorStack({ workers, metrics: 'type' });
      for (const worker of ['default', 'lists', 'nope']) {
        const says = `metric.worker: "${worker}" is not valid. ${name} is of the whole deployment. Leave worker out.`;
        expect(() => jobs.metric(name, { worker })).toThrow(says);
      }
      expect(() => jobs.metric(name, { type: 'a' })).toThrow(`metric.type: ${name} is of the whole deployment, not of job types.`);
    },
  );

  it('are none where the deployment publishes none, here and where it is imported', () => {
    const { stack, jobs } = executorStack({ metrics: 'off' });
    const imported = JobExecutor.fromJobExecutorAttributes(stack, 'Imported', jobs.attributes);
    for (const one of [jobs, imported]) {
      expect(() => one.metricJobsFailed()).toThrow("metric: JobsFailed is not published: metrics of the job executor are 'off'.");
    }
  });

  it('are not handed out where acquirer and sweeper publish none, instead of switching these on', () => {
    const unwatched = { alarms: false, dashboard: false } as const;
    const { stack, jobs } = executorStack(unwatched);
    const before = JSON.stringify(executorTemplate(unwatched).toJSON());
    expect(() => jobs.metricTimerLag()).toThrow(
      "metric: acquirer and sweeper publish none, so TimerLag lacks their part. Set metrics: 'worker' of the job executor, or leave alarms or the dashboard on.",
    );
    expect(JSON.stringify(Template.fromStack(stack).toJSON())).toBe(before);
  });

  it('change nothing when they are asked for', () => {
    for (const props of [{}, { alarms: false, dashboard: false, metrics: 'worker' }] as const) {
      const { stack, jobs } = executorStack(props);
      const before = JSON.stringify(executorTemplate(props).toJSON());
      for (const metric of [jobs.metricTimerLag(), jobs.metricJobsFailed()]) expect(metric.dimensions).toBeDefined();
      expect(JSON.stringify(Template.fromStack(stack).toJSON())).toBe(before);
    }
  });

  it('are of a type where the deployment publishes them', () => {
    const dimensions = { type: 'a' };
    expect(executorStack({ metrics: { types: ['a', 'b'] } }).jobs.metricJobsFailed({ type: 'a' })).toMatchObject({ dimensions });
    expect(executorStack({ metrics: 'type' }).jobs.metricJobsFailed({ type: 'a' })).toMatchObject({ dimensions });
    expect(() => executorStack({ metrics: { types: ['b'] } }).jobs.metricJobsFailed({ type: 'a' })).toThrow(
      'metric.type: "a" is not valid. It has no metrics of its own: name it in metrics of the job executor, { types: [...] }.',
    );
  });
});

describe('a metric of which nothing is published', () => {
  const wrong: WrongValues<Pick<JobMetricOptions, 'worker' | 'type'>> = {
    worker: [
      ['nope', ': "nope" is not valid. It is no worker. Known are: default, reports.'],
      ['report', ': "report" is not valid. It is no worker. Did you mean reports?'],
      [5, ': 5 is not valid.'],
      ['', ': "" is not valid.'],
    ],
    type: [
      ['a', ': "a" is not valid. It has no metrics of its own'],
      [5, ': 5 is not valid.'],
    ],
  };
  const cases = Object.entries(wrong).flatMap(([name, values]) => values.map(([value, says]) => [name, value, says] as const));

  it.each(cases)('is refused by its %s %o, here and where the deployment is imported', (name, value, says) => {
    const { stack, jobs } = executorStack({ workers });
    const imported = JobExecutor.fromJobExecutorAttributes(stack, 'Imported', jobs.attributes);
    for (const one of [jobs, imported]) expect(() => one.metricJobsFailed({ [name]: value })).toThrow(`metric.${name}${says}`);
  });

  it('is refused by its name', () => {
    const { jobs } = executorStack();
    expect(() => jobs.metric('JobsFaild' as never)).toThrow('metric: "JobsFaild" is no metric. Did you mean JobsFailed?');
    expect(() => jobs.metric(5 as never)).toThrow('metric: 5 is no metric. Known are: JobsEnqueued, ');
  });

  it('is refused where no worker is named and none is called default', () => {
    const { jobs } = executorStack({ workers: { mail: { entry: WORKER_ENTRY } } });
    expect(() => jobs.metricJobsFailed()).toThrow('metric.worker: "default" is not valid. It is no worker. Known are: mail.');
    expect(() => jobs.metricOldestReadyAge()).not.toThrow();
  });

  it('is refused for options that are none, and warned of for one that there is not', () => {
    const { stack, jobs } = executorStack();
    expect(() => jobs.metricJobsFailed(null as never)).toThrow(
      "metric: null is no object with options of a metric. Use { worker: 'default' }.",
    );
    jobs.metricJobsFailed({ statistics: 'avg' } as never);
    const warnings = Annotations.fromStack(stack).findWarning(
      '/Shop/Jobs',
      Match.stringLikeRegexp('^metric.statistics: .*Did you mean statistic?'),
    );
    expect(warnings).toHaveLength(1);
  });
});
