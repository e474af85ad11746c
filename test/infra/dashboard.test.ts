import { describe, expect, it } from 'vitest';
import { ALARM_SPECS } from '../../infra/alarm-specs.ts';
import type { JobExecutorProps } from '../../infra/job-executor-props.ts';
import { ALL_WORKERS } from '../../shared/job/worker-names.ts';
import { COUNTED, COUNTED_APART, DURATIONS, GAUGES, NAMESPACE } from '../../shared/adapters/observability/names.ts';
import { TABLE_NAMES } from '../../shared/ports/table-spec.ts';
import { executorTemplate, resources, WORKER_ENTRY } from './synth.ts';

interface Widget {
  readonly type: string;
  readonly width: number;
  readonly x: number;
  readonly y: number;
  readonly properties: { readonly title?: string; readonly markdown?: string; readonly metrics?: readonly (readonly unknown[])[] };
}

const WORKERS = { default: { entry: WORKER_ENTRY, groups: true }, gpu: { outside: true } } as const;

/** What of a dashboard CloudWatch shows; names that CloudFormation makes are those of the resources. */
function widgets(props: Partial<JobExecutorProps> = {}): readonly Widget[] {
  const [dashboard] = Object.values(resources(executorTemplate({ workers: WORKERS, ...props }), 'AWS::CloudWatch::Dashboard'));
  if (dashboard === undefined) throw new Error('There is no dashboard.');
  const { 'Fn::Join': join } = dashboard.Properties['DashboardBody'] as { readonly 'Fn::Join': [string, readonly unknown[]] };
  const text = join[1].map((part) => (typeof part === 'string' ? part : String(Object.values(part as object).flat()[0]))).join('');
  return (JSON.parse(text) as { readonly widgets: readonly Widget[] }).widgets;
}

const shown = widgets();
const titles = shown.flatMap(({ properties: { title, markdown } }) => [
  ...(title === undefined ? [] : [title]),
  ...(markdown?.match(/^## .+$/m) ?? []),
]);
const ownMetrics = (title: string): readonly string[] =>
  (shown.find(({ properties }) => properties.title === title)?.properties.metrics ?? [])
    .filter(([namespace]) => namespace === NAMESPACE)
    .map((metric) => `${String(metric[1])} ${String(metric[metric.indexOf('worker') + 1])}`);

describe('the dashboard', () => {
  it('follows a job: enqueued, ready, claimed, running, ended; then timers, sweeper, dead letters and cost', () => {
    const order = [
      'Alarms',
      '## Worker default',
      'Enqueued',
      'Waiting in the queue',
      'Delay from due to start (ms)',
      'Claimed and started',
      'Handler run time (ms)',
      'Ended',
      '## Worker gpu',
      '## Timers',
      'Timer lag (ms)',
      '## Sweeper',
      'Leases reset',
      'Age of the oldest due job (ms)',
      '## Dead letters and failures',
      'Dead letters',
      '## Cost and capacity',
      'Write units',
      'Time in Lambda (ms)',
    ];
    const at = order.map((title) => titles.indexOf(title));
    expect(at).not.toContain(-1);
    expect(at).toEqual(at.toSorted((a, b) => a - b));
  });

  it('draws only metrics of our own that are published', () => {
    const gauges = Object.values(GAUGES).map(({ metric }) => metric);
    const published = new Set<unknown>([
      ...Object.values(COUNTED),
      ...Object.values(COUNTED_APART),
      ...Object.values(DURATIONS),
      ...gauges,
    ]);
    const own = shown.flatMap(({ properties }) => properties.metrics ?? []).filter(([namespace]) => namespace === NAMESPACE);
    expect(own.length).toBeGreaterThan(40);
    expect(own.map(([, name]) => name).filter((name) => !published.has(name))).toEqual([]);
  });

  it.each([
    ['Failed reads and writes', 'StoreFailures'],
    ['Quarantined rows', 'Quarantined'],
  ])('shows in "%s" also what acquirer and sweeper count, which belong to no worker', (title, metric) => {
    expect(ownMetrics(title)).toEqual([`${metric} ${ALL_WORKERS}`, `${metric} default`, `${metric} gpu`]);
  });

  it('shows every way in which jobs of a worker end, expired and skipped ones too', () => {
    const ends = ['JobsCompleted', 'JobsFailed', 'JobsCancelled', 'JobsExpired', 'JobsSkipped', 'JobsDeadLettered'];
    expect(ownMetrics('Ended')).toEqual(ends.map((name) => `${name} default`));
  });

  it('shows crash loops, endless chains and unknown types of every worker', () => {
    const found = ownMetrics('Crash loops, endless chains, unknown types');
    expect(found).toEqual(['CrashLoops', 'ChainLimits', 'JobsWithoutHandler'].flatMap((name) => [`${name} default`, `${name} gpu`]));
  });

  it('shows throttles of every table and index', () => {
    const metrics = shown.find(({ properties }) => properties.title === 'Throttled writes and reads')?.properties.metrics ?? [];
    const labels = metrics.map((metric) => (metric.at(-1) as { readonly label: string }).label);
    expect(labels).toEqual(expect.arrayContaining(TABLE_NAMES.flatMap((name) => [`${name} writes`, `${name} reads`])));
    expect(labels).toEqual(expect.arrayContaining(['deadLetters byType', 'deadLetters byFingerprint', 'suspended byCause']));
  });

  it('fills its rows, and leaves out what there is none of: a worker outside Lambda has no executors', () => {
    const rows = Object.values(Object.groupBy(shown, ({ y }) => y));
    for (const row of rows) expect((row ?? []).reduce((sum, { width }) => sum + width, 0)).toBe(24);
    expect(shown.every(({ width, x }) => Number.isInteger(width) && Number.isInteger(x))).toBe(true);
    expect(titles.filter((title) => title === 'Concurrent executors')).toHaveLength(1);
    expect(titles.filter((title) => title === 'Enqueued')).toHaveLength(2);
  });

  it('says which alarms page, and links to their articles where the runbook is on the web', () => {
    const web = 'https://wiki.example.com/jobs';
    const guide = (all: readonly Widget[]): string =>
      all.find(({ properties }) => properties.markdown?.includes('Page:'))?.properties.markdown ?? '';
    const linked = guide(widgets({ alarmOptions: { runbook: web } }));
    for (const name of Object.keys(ALARM_SPECS)) expect(linked).toContain(`[${name}](${web}#${name})`);
    expect(guide(shown)).toContain('docs/operate/runbook.md');
    expect(guide(shown)).not.toContain('](');
  });
});
