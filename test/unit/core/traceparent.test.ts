import { afterEach, describe, expect, test, vi } from 'vitest';
import { encodeEnvironment } from '../../../shared/config/environment.ts';
import { traceparentOf } from '../../../shared/core/traceparent.ts';
import { createJobClient, defineJob } from '../../../shared/index.ts';
import { TABLE_NAMES } from '../../../shared/ports/table-spec.ts';
import { anyPayload } from '../../support/rig.ts';

const HEADER = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1';
const TRACEPARENT = '00-5759e988bd862e3fe1be46a994272793-53995c3f42cd8ad8-01';

afterEach(() => void vi.unstubAllEnvs());

describe("the trace header of X-Ray as W3C's", () => {
  test.each([
    [HEADER, TRACEPARENT],
    [`${HEADER};Lineage=1:a87bd80c:0`, TRACEPARENT],
    ['Root=1-5759E988-BD862E3FE1BE46A994272793;Parent=53995C3F42CD8AD8;Sampled=0', TRACEPARENT.replace(/01$/, '00')],
    ['Sampled=1; Parent=53995c3f42cd8ad8; Root=1-5759e988-bd862e3fe1be46a994272793', TRACEPARENT],
  ])('%s', (header, traceparent) => expect(traceparentOf(header)).toBe(traceparent));

  test.each([undefined, '', 'Root=1-5759e988-bd862e3fe1be46a994272793', 'Parent=53995c3f42cd8ad8', 'Root=2-x;Parent=y;Sampled=1'])(
    'is none for %j',
    (header) => expect(traceparentOf(header)).toBeUndefined(),
  );
});

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
