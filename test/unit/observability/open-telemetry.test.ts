import * as api from '@opentelemetry/api';
import { beforeAll, describe, expect, it, test } from 'vitest';
import type { OpenTelemetryApi } from '../../../shared/adapters/opentelemetry/index.ts';
import { openTelemetry } from '../../../shared/adapters/opentelemetry/index.ts';
import { createExecutor } from '../../../functions/index.ts';
import { createJobClient } from '../../../shared/index.ts';
import type { AttemptEnd } from '../../../shared/job/attempt.ts';
import { type RecordedSpans, recordSpans } from '../../support/recorded-spans.ts';

const JOB = { id: 'job-1', type: 'work', worker: 'default', attempt: 2 };
const HEADER = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('tracing without a registered SDK', () => {
  it('runs the work, and knows no trace', async () => {
    const tracing = openTelemetry(api);
    expect(tracing.current()).toBeUndefined();
    expect(await tracing.send('work', 1, async () => tracing.current())).toBeUndefined();
    expect(await tracing.process({ ...JOB, traceparent: HEADER }, async (ended) => (ended({ outcome: 'completed' }), 'done'))).toBe('done');
  });
});

describe('a span of an attempt', () => {
  let spans: RecordedSpans;
  beforeAll(() => void (spans = recordSpans()));
  const endOf = async (end: AttemptEnd) => {
    spans.take();
    await openTelemetry(api).process(JOB, async (ended) => ended(end));
    const [span] = spans.take();
    return {
      code: span?.status.code,
      message: span?.status.message,
      type: span?.attributes['error.type'],
      exceptions: span?.events.length,
    };
  };
  const [unset, error] = [api.SpanStatusCode.UNSET, api.SpanStatusCode.ERROR];

  it.each([
    [{ outcome: 'completed' }, { code: unset, exceptions: 0 }],
    [{ outcome: 'cancelled' }, { code: unset, exceptions: 0 }],
    [{ outcome: 'given-back' }, { code: unset, exceptions: 0 }],
    [{ outcome: 'lost-lease' }, { code: error, type: 'lost-lease', exceptions: 0 }],
    [{ outcome: 'unrecorded' }, { code: error, type: 'unrecorded', exceptions: 0 }],
    [
      { outcome: 'retried', error: { name: 'E', message: 'm', at: 0 } },
      { code: error, message: 'm', type: 'E', exceptions: 1 },
    ],
    [
      { outcome: 'unrecorded', error: { name: 'E', message: 'm', at: 0 } },
      { code: error, message: 'm', type: 'E', exceptions: 1 },
    ],
  ] satisfies [AttemptEnd, object][])('that ended as %j has the status %j', async (end, expected) => {
    expect(await endOf(end)).toEqual({ message: undefined, type: undefined, ...expected });
  });

  it('ends with an attempt that throws', async () => {
    spans.take();
    await expect(openTelemetry(api).process(JOB, async () => Promise.reject(new Error('store')))).rejects.toThrow('store');
    expect(spans.take()).toHaveLength(1);
  });

  it('links to nothing for a traceparent that is not valid', async () => {
    spans.take();
    await openTelemetry(api).process({ ...JOB, traceparent: 'of another kind' }, async () => undefined);
    expect(spans.take()).toMatchObject([{ links: [] }]);
  });

  it('says of what an enqueue threw only what it is, if it is no error', async () => {
    spans.take();
    await expect(openTelemetry(api).send('work', 1, async () => Promise.reject('no'))).rejects.toBe('no');
    expect(spans.take()).toMatchObject([{ status: { message: 'no' }, attributes: { 'error.type': 'string' } }]);
  });
});

test('a tracer that throws costs the spans, never the work', async () => {
  const broken = (): never => {
    throw new Error('broken');
  };
  const span = { spanContext: broken, setAttribute: broken, setStatus: broken, recordException: broken, end: broken };
  const starts = openTelemetry({ ...api, trace: { ...pick(), getTracer: () => ({ startSpan: () => span }) } });
  const startsNot = openTelemetry({ ...api, trace: { ...pick(), getTracer: broken, getSpanContext: broken } });
  for (const tracing of [starts, startsNot]) {
    expect(await tracing.send('work', 1, async () => 'sent')).toBe('sent');
    await expect(tracing.send('work', 1, async () => Promise.reject(new Error('mine')))).rejects.toThrow('mine');
    const failed: AttemptEnd = { outcome: 'retried', error: { name: 'E', message: 'm', at: 0 } };
    expect(await tracing.process({ ...JOB, traceparent: HEADER }, async (ended) => (ended(failed), 'ran'))).toBe('ran');
  }
  expect(startsNot.current()).toBeUndefined();
});

function pick(): OpenTelemetryApi['trace'] {
  const { trace } = api;
  return {
    getTracer: (...given) => trace.getTracer(...given),
    getSpanContext: (context) => trace.getSpanContext(context),
    setSpan: (context, span) => trace.setSpan(context, span as never),
    setSpanContext: (context, spanContext) => trace.setSpanContext(context, spanContext),
  };
}

describe('tracing that is not set up right is refused', () => {
  it.each([undefined, null, {}, { trace: api.trace }, { trace: api.trace, context: api.context }])('without the API (%#)', (given) =>
    expect(() => openTelemetry(given as never)).toThrow("Give the namespace: import * as api from '@opentelemetry/api'."),
  );
  it('with options that are not known', () => {
    expect(() => openTelemetry(api, { propagationStyle: 'none' } as never)).toThrow(
      "propagationStyle: \"none\" is not valid. Use 'link' or 'child'.",
    );
    expect(() => openTelemetry(api, { style: 'link' } as never)).toThrow('style');
  });
  it('by an executor and a client that get something else', () => {
    expect(() => createExecutor([], { tracing: api as never })).toThrow('Give openTelemetry(api) of nightcrew/opentelemetry.');
    const environment = {
      NIGHTCREW_TABLES: JSON.stringify(TABLES),
      NIGHTCREW_WORKERS: '{"default":{"lanes":{"default":"http://localhost/q"}}}',
    };
    expect(() => createJobClient({ environment, tracing: null as never }).newId()).toThrow('Give openTelemetry(api)');
  });
});

const TABLES = { jobs: 'a', timers: 'b', deadLetters: 'c', suspended: 'd', control: 'e', history: 'f' };
