import { afterEach, describe, expect, it, vi } from 'vitest';
import type { MetricsMode } from '../../../shared/config/environment.ts';
import { createPowertoolsJournal } from '../../../shared/adapters/observability/powertools-journal.ts';
import type { Journal, JournalEntry } from '../../../shared/ports/journal.ts';
import { capturedJson } from '../../support/captured-stdout.ts';

const JOB = { id: 'job-1', type: 'invoice.send', worker: 'default', tenant: 'Mueller & Soehne', attempt: 2 };
const ERROR = { name: 'CardDeclined', message: 'card 4111 of Mrs Mueller', stack: 'CardDeclined: at pay.ts', at: 0 };

interface Emf {
  readonly _aws: {
    readonly CloudWatchMetrics: readonly { Namespace: string; Dimensions: string[][]; Metrics: { Name: string; Unit: string }[] }[];
  };
}

/** Lines that a journal writes: logs while it records, metrics when it is flushed. */
function written(use: (journal: Journal) => void, metrics: MetricsMode = 'worker') {
  const lines = capturedJson(() => {
    const journal = createPowertoolsJournal({ metrics, service: 'executor', worker: 'default', deployment: 'shop' });
    use(journal);
    journal.flush();
  });
  return {
    logs: lines.filter((line) => !('_aws' in line)),
    metrics: lines.filter((line) => '_aws' in line) as (Emf & Record<string, unknown>)[],
  };
}

function recorded(...entries: readonly JournalEntry[]) {
  return written((journal) => entries.forEach((entry) => journal.record(entry)));
}

afterEach(() => vi.unstubAllEnvs());

describe('metrics of the journal', () => {
  it('sums counts in memory and writes them once, under deployment and worker', () => {
    const { metrics } = recorded(
      { event: 'completed', job: JOB },
      { event: 'completed', job: JOB },
      { event: 'enqueued', worker: 'default', count: 40 },
    );
    expect(metrics).toHaveLength(1);
    expect(metrics[0]).toMatchObject({ deployment: 'shop', worker: 'default', JobsCompleted: 2, JobsEnqueued: 40 });
    expect(metrics[0]?._aws.CloudWatchMetrics[0]).toMatchObject({ Namespace: 'Nightcrew', Dimensions: [['deployment', 'worker']] });
  });

  it('writes durations as arrays of values', () => {
    const { metrics } = recorded(
      { event: 'started', job: JOB, queueDelayMs: 12 },
      { event: 'started', job: JOB, queueDelayMs: 30 },
      { event: 'completed', job: JOB, runMs: 7 },
    );
    expect(metrics[0]).toMatchObject({ JobsStarted: 2, QueueDelay: [12, 30], RunTime: 7 });
    expect(metrics[0]?._aws.CloudWatchMetrics[0]?.Metrics).toContainEqual({ Name: 'QueueDelay', Unit: 'Milliseconds' });
  });

  it('keeps its dimensions when there are more values than fit into one line', () => {
    const { metrics } = recorded(...Array.from({ length: 250 }, (_, n): JournalEntry => ({ event: 'started', job: JOB, queueDelayMs: n })));
    expect(metrics.flatMap((line) => line['QueueDelay'])).toEqual(Array.from({ length: 250 }, (_, n) => n));
    expect(metrics.reduce((sum, line) => sum + Number(line['JobsStarted'] ?? 0), 0)).toBe(250);
    for (const line of metrics) expect(line).toMatchObject({ deployment: 'shop', worker: 'default' });
  });

  it('has a set for each worker that entries name', () => {
    const { metrics } = recorded({ event: 'reset', worker: 'reports' }, { event: 'reset', worker: 'default', count: 3 });
    expect(metrics.map(({ worker, Resets }: Record<string, unknown>) => [worker, Resets])).toEqual([
      ['reports', 1],
      ['default', 3],
    ]);
  });

  it('adds the job type only in mode `type`, besides the counts of the worker', () => {
    const { metrics } = written((journal) => journal.record({ event: 'completed', job: JOB }), 'type');
    expect(metrics.map((line) => line._aws.CloudWatchMetrics[0]?.Dimensions)).toEqual([
      [['deployment', 'worker']],
      [['deployment', 'worker', 'type']],
    ]);
    expect(metrics[1]).toMatchObject({ type: 'invoice.send', JobsCompleted: 1 });
  });

  it('adds only the job types that were chosen', () => {
    const [other, many] = [{ ...JOB, type: 'report.build' }, { event: 'timers-fired', count: 3 } as const];
    const { metrics } = written(
      (journal) => {
        for (const job of [JOB, other]) journal.record({ event: 'completed', job });
        journal.record({ ...many, jobs: [JOB, other, other] });
      },
      { types: ['report.build'] },
    );
    expect(metrics.map(({ worker, type, JobsCompleted, TimersFired }) => [worker, type, JobsCompleted, TimersFired])).toEqual([
      ['default', undefined, 2, 3],
      ['default', 'report.build', 1, 2],
    ]);
  });

  it("never has the tenant or the library's own dimension", () => {
    const { metrics } = written((journal) => journal.record({ event: 'completed', job: JOB }), 'type');
    expect(JSON.stringify(metrics)).not.toMatch(/tenant|Mueller|"service"/);
  });

  it('counts a crash loop, an endless chain and a job without a handler apart', () => {
    const { metrics } = recorded(
      { event: 'dead-lettered', job: JOB, reason: 'crash-loop' },
      { event: 'dead-lettered', job: JOB, reason: 'retries-exhausted' },
      { event: 'dead-lettered', job: JOB, reason: 'chain-limit' },
      { event: 'suspended', job: JOB, reason: 'no-handler#invoice.send' },
    );
    expect(metrics[0]).toMatchObject({ JobsDeadLettered: 3, CrashLoops: 1, ChainLimits: 1, JobsSuspended: 1, JobsWithoutHandler: 1 });
  });

  it('shows the largest age of all workers for the whole deployment', () => {
    const { metrics } = written((journal) => {
      journal.gauge({ name: 'oldest-ready-age', value: 5, worker: 'default' });
      journal.gauge({ name: 'oldest-ready-age', value: 90, worker: 'reports' });
    });
    expect(metrics.find((line) => line['worker'] === 'all')).toMatchObject({ OldestReadyAge: 90 });
  });

  it("shows the lag of every worker's timers for the whole deployment", () => {
    const { metrics } = recorded(
      { event: 'timers-fired', worker: 'reports', timerLagMs: -40 },
      { event: 'timers-fired', worker: 'default', timerLagMs: 900 },
    );
    expect(metrics.find((line) => line['worker'] === 'all')).toMatchObject({ TimerLag: [-40, 900] });
  });

  it('writes nothing at all when metrics are off or nothing happened', () => {
    expect(written((journal) => journal.record({ event: 'completed', job: JOB }), 'off').metrics).toEqual([]);
    expect(recorded()).toEqual({ logs: [], metrics: [] });
  });

  it('takes the name of the deployment from the environment', () => {
    vi.stubEnv('NIGHTCREW_DEPLOYMENT', 'warehouse');
    const lines = capturedJson(() => {
      const journal = createPowertoolsJournal({ metrics: 'worker', service: 'acquirer' });
      journal.gauge({ name: 'acquirer-heartbeat', value: 1 });
      journal.flush();
    });
    expect(lines[0]).toMatchObject({ deployment: 'warehouse', worker: 'all', AcquirerHeartbeat: 1 });
  });

  it('counts for all workers what names none', () => {
    const lines = capturedJson(() => {
      const journal = createPowertoolsJournal({ metrics: 'worker', service: 'client', deployment: 'shop' });
      journal.record({ event: 'send-failed', worker: '' });
      journal.flush();
    });
    expect(lines.find((line) => '_aws' in line)).toMatchObject({ deployment: 'shop', worker: 'all', SendFailures: 1 });
  });

  it('starts anew after a flush', () => {
    const { metrics } = written((journal) => {
      journal.record({ event: 'completed', job: JOB });
      journal.flush();
      journal.record({ event: 'completed', job: JOB });
    });
    expect(metrics.map((line) => line['JobsCompleted'])).toEqual([1, 1]);
  });
});

describe('logs of the journal', () => {
  it.each([
    ['dead-lettered', 'ERROR'],
    ['crashed', 'ERROR'],
    ['failed', 'WARN'],
    ['retried', 'WARN'],
    ['lost-lease', 'WARN'],
    ['quarantined', 'WARN'],
    ['send-failed', 'WARN'],
  ] as const)('says %s at level %s', (event, level) => {
    expect(recorded({ event, job: JOB }).logs).toEqual([
      expect.objectContaining({ level, message: event, jobId: 'job-1', service: 'executor' }),
    ]);
  });

  it('says nothing of a job that went well', () => {
    const happy = ['enqueued', 'started', 'completed', 'snoozed', 'lost-claim', 'timers-fired', 'reset'] as const;
    expect(recorded(...happy.map((event) => ({ event, job: JOB }))).logs).toEqual([]);
  });

  it('names the current span, else the trace that enqueued the job', () => {
    const job = { ...JOB, traceparent: '00-5759e988bd862e3fe1be46a994272793-53995c3f42cd8ad8-01' };
    const current = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
    const [line] = capturedJson(() => {
      const tracing = { current: () => current };
      createPowertoolsJournal({ metrics: 'off', service: 'executor', tracing }).record({ event: 'failed', job });
    });
    expect(line).toMatchObject({ trace_id: '0af7651916cd43dd8448eb211c80319c', span_id: 'b7ad6b7169203331', trace_flags: '01' });
    const [outside] = recorded({ event: 'failed', job }).logs;
    expect(outside).toMatchObject({ trace_id: '5759e988bd862e3fe1be46a994272793' });
    expect(outside).not.toHaveProperty('span_id');
  });

  it('names the error, never what it says', () => {
    const [line] = recorded({ event: 'failed', job: JOB, error: ERROR, reason: 'retry' }).logs;
    expect(line).toMatchObject({ errorName: 'CardDeclined', reason: 'retry', attempt: 2, type: 'invoice.send', worker: 'default' });
    expect(JSON.stringify(line)).not.toContain('4111');
    expect(JSON.stringify(line)).not.toContain('pay.ts');
  });

  it('keeps a reason that is a sentence for the debug level, because it may quote a row', () => {
    const entry = { event: 'quarantined', worker: 'default', reason: 'row: attribute payload holds "Mrs Mueller"' } as const;
    expect(recorded(entry).logs[0]).not.toHaveProperty('reason');
    vi.stubEnv('POWERTOOLS_LOG_LEVEL', 'DEBUG');
    expect(recorded(entry).logs[0]).toMatchObject({ reason: entry.reason });
  });

  it('names the action and the resource that the store did not allow, and nothing else that the error says', () => {
    const message =
      'User: arn:aws:sts::1:role/x is not authorized to perform: dynamodb:PutItem on resource: arn:aws:dynamodb:::table/Control';
    const [line] = recorded({ event: 'store-failed', error: { ...ERROR, message } }).logs;
    expect(line).toMatchObject({ missingPermission: 'dynamodb:PutItem on arn:aws:dynamodb:::table/Control' });
    expect(JSON.stringify(line)).not.toContain('role/x');
  });

  it('says what the error says at the debug level', () => {
    vi.stubEnv('POWERTOOLS_LOG_LEVEL', 'DEBUG');
    const { logs } = recorded({ event: 'failed', job: JOB, error: ERROR }, { event: 'completed', job: JOB });
    expect(logs).toEqual([
      expect.objectContaining({ errorMessage: ERROR.message }),
      expect.objectContaining({ level: 'DEBUG', message: 'completed' }),
    ]);
  });

  it('draws anew for each invocation whether it is one that logs in full', () => {
    vi.stubEnv('POWERTOOLS_LOGGER_SAMPLE_RATE', '0.5');
    const completed = capturedJson(() => {
      const journal = createPowertoolsJournal({ metrics: 'off', service: 'executor' });
      for (let invocation = 0; invocation < 100; invocation++) {
        journal.record({ event: 'completed', job: JOB });
        journal.flush();
      }
    }).filter(({ message }) => message === 'completed');
    expect(completed.length).toBeGreaterThan(0);
    expect(completed.length).toBeLessThan(100);
  });

  it('shows a tenant only as a hash that is always the same', () => {
    const [first, second] = [recorded({ event: 'failed', job: JOB }), recorded({ event: 'crashed', job: JOB })].map(({ logs }) => logs[0]);
    expect(first?.['tenantHash']).toMatch(/^[\w-]{12}$/);
    expect(second?.['tenantHash']).toBe(first?.['tenantHash']);
    expect(JSON.stringify(first)).not.toContain('Mueller');
  });

  it('copies no field that it does not know, so a payload cannot get in', () => {
    const entry = { event: 'failed', job: { ...JOB, payload: '{"iban":"DE02"}' }, payload: '{"iban":"DE02"}' } as JournalEntry;
    expect(JSON.stringify(recorded(entry))).not.toContain('DE02');
  });
});

describe('a journal that is given nonsense', () => {
  it('does not throw, and says at the flush how much was lost', () => {
    const { logs } = recorded({ event: 'crashed', job: { ...JOB, tenant: 5 as never } });
    expect(logs).toEqual([expect.objectContaining({ level: 'WARN', message: 'journal entries lost', count: 1 })]);
  });

  it('leaves out numbers that are none, and keeps what stands beside them', () => {
    const { metrics } = written((journal) => {
      journal.record({ event: 'completed', job: JOB, count: Number.NaN, runMs: Number.POSITIVE_INFINITY });
      journal.gauge({ name: 'overdue-ready', value: Number.NaN, worker: 'default' });
      journal.record({ event: 'started', job: JOB });
    });
    expect(metrics).toHaveLength(1);
    expect(metrics[0]).toMatchObject({ JobsStarted: 1 });
    expect(metrics[0]).not.toHaveProperty('JobsCompleted');
  });
});
