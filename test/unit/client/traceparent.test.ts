import { afterEach, expect, test, vi } from 'vitest';
import { encodeEnvironment } from '../../../shared/config/environment.ts';
import { createJobClient, defineJob } from '../../../shared/index.ts';
import { TABLE_NAMES } from '../../../shared/ports/table-spec.ts';
import { anyPayload } from '../../support/rig.ts';

const HEADER = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1';
const TRACEPARENT = '00-5759e988bd862e3fe1be46a994272793-53995c3f42cd8ad8-01';

afterEach(() => void vi.unstubAllEnvs());

test('a job that a Lambda enqueues carries the trace of its invocation', () => {
  const tables = Object.fromEntries(TABLE_NAMES.map((name) => [name, name])) as never;
  const environment = encodeEnvironment({ tables, workers: { default: { lanes: { default: 'http://localhost/q' } } } });
  const client = createJobClient({ environment: { ...environment, AWS_REGION: 'eu-central-1' } });
  const work = defineJob('work', { payload: anyPayload });
  const traceOf = (): unknown => client.prepare(work, {}).items[0]?.Put?.Item?.['traceparent'];
  vi.stubEnv('_X_AMZN_TRACE_ID', HEADER);
  expect(traceOf()).toEqual({ S: TRACEPARENT });
  vi.stubEnv('_X_AMZN_TRACE_ID', undefined);
  expect(traceOf()).toBeUndefined();
});
