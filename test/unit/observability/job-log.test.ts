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

  it('keeps debug lines back unless they are asked for', () => {
    expect(capturedJson(() => createJobLog(JOB).debug('detail'))).toEqual([]);
  });
});
