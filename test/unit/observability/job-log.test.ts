import { describe, expect, it } from 'vitest';
import { createJobLog } from '../../../shared/adapters/observability/job-log.ts';
import { capturedJson } from '../../support/captured-stdout.ts';

const JOB = { id: 'job-1', type: 'invoice.send', worker: 'default', tenant: 'acme', attempt: 3 };

describe('the log of a handler', () => {
  it('says for which job and attempt a line was written', () => {
    const [line] = capturedJson(() => createJobLog(JOB).info('rendered', { pages: 4 }));
    expect(line).toMatchObject({
      level: 'INFO',
      message: 'rendered',
      pages: 4,
      jobId: 'job-1',
      type: 'invoice.send',
      worker: 'default',
      attempt: 3,
    });
  });

  it('does not let a handler pass for another job', () => {
    const [line] = capturedJson(() => createJobLog(JOB).warn('odd', { jobId: 'job-2', attempt: 1 }));
    expect(line).toMatchObject({ level: 'WARN', jobId: 'job-1', attempt: 3 });
  });

  it('shows the tenant only as a hash', () => {
    const [line] = capturedJson(() => createJobLog(JOB).error('odd'));
    expect(line).toMatchObject({ level: 'ERROR', tenantHash: expect.stringMatching(/^[\w-]{12}$/) as string });
    expect(line).not.toHaveProperty('tenant');
  });

  it('names the current span, else the trace that enqueued the job, and neither can be overwritten', () => {
    const origin = { ...JOB, traceparent: '00-5759e988bd862e3fe1be46a994272793-53995c3f42cd8ad8-01' };
    const current = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00' };
    let span: typeof current | undefined = current;
    const lines = capturedJson(() => {
      const log = createJobLog(origin, { current: () => span });
      log.info('in a span', { trace_id: 'x', span_id: 'x' });
      span = undefined;
      log.info('outside');
      createJobLog(origin).info('without tracing');
      createJobLog({ ...JOB, traceparent: 'of another kind' }).info('not valid');
    });
    expect(lines.map(({ trace_id, span_id, trace_flags }) => [trace_id, span_id, trace_flags])).toEqual([
      ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331', '00'],
      ['5759e988bd862e3fe1be46a994272793', undefined, undefined],
      ['5759e988bd862e3fe1be46a994272793', undefined, undefined],
      [undefined, undefined, undefined],
    ]);
  });

  it('keeps debug lines back unless they are asked for', () => {
    expect(capturedJson(() => createJobLog(JOB).debug('detail'))).toEqual([]);
  });
});
