import * as api from '@opentelemetry/api';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { beforeEach, describe, expect, it } from 'vitest';
import { openTelemetry } from '../../shared/adapters/opentelemetry/index.ts';
import { complete, createJobClient, defineJob, defineSchedule, fail, followUp, type JobInfo, snooze } from '../../shared/index.ts';
import { createTestKit, type TestKitOptions } from '../../testing/index.ts';
import { recordSpans, traceparentOfSpan } from '../support/recorded-spans.ts';
import { anyPayload } from '../support/rig.ts';

const tracing = openTelemetry(api);
const HEADER = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const work = defineJob('work', { payload: anyPayload, retry: 'R3/PT1M' });
const second = defineJob('second', { payload: anyPayload });

const take = (): readonly ReadableSpan[] => recordSpans().take();
beforeEach(() => void take());

const linksOf = (span: ReadableSpan | undefined): readonly (string | undefined)[] =>
  (span?.links ?? []).map(({ context }) => `00-${context.traceId}-${context.spanId}-0${context.traceFlags}`);

describe('a traced job', () => {
  it('runs in a consumer span that links to the producer span of its enqueue', async () => {
    const kit = createTestKit([work.handle(() => undefined)], { tracing });
    const { id } = await kit.client.enqueue(work, {}, { correlationId: 'order-7', tenant: 'acme' });
    await kit.drain();
    const [send, process] = take();
    expect(send).toMatchObject({ name: 'send work', kind: SpanKind.PRODUCER, status: { code: SpanStatusCode.UNSET } });
    expect(send?.attributes).toEqual({
      'messaging.system': 'nightcrew',
      'messaging.operation.name': 'send',
      'messaging.operation.type': 'send',
      'messaging.destination.name': 'work',
    });
    expect(process).toMatchObject({ name: 'process work', kind: SpanKind.CONSUMER, status: { code: SpanStatusCode.UNSET } });
    expect(process?.attributes).toEqual({
      'messaging.system': 'nightcrew',
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.destination.name': 'work',
      'messaging.message.id': id,
      'messaging.message.conversation_id': 'order-7',
      'nightcrew.worker': 'default',
      'nightcrew.job.attempt': 1,
      'nightcrew.job.outcome': 'completed',
    });
    expect(linksOf(process)).toEqual([traceparentOfSpan(send)]);
    expect(process?.links[0]?.context.isRemote).toBe(true);
    expect(process?.spanContext().traceId).not.toBe(send?.spanContext().traceId);
    expect(process?.instrumentationScope.name).toBe('nightcrew');
  });

  it('continues the trace of its producer where this is asked for, and links to the invocation', async () => {
    const kit = createTestKit([work.handle(() => undefined)], { tracing: openTelemetry(api, { propagationStyle: 'child' }) });
    await kit.client.enqueue(work, {});
    const tracer = api.trace.getTracer('lambda');
    await tracer.startActiveSpan('invocation', async (span) => kit.drain().finally(() => span.end()));
    const [send, process, invocation] = take();
    expect(process?.parentSpanContext?.spanId).toBe(send?.spanContext().spanId);
    expect(process?.spanContext().traceId).toBe(send?.spanContext().traceId);
    expect(linksOf(process)).toEqual([traceparentOfSpan(invocation)]);
  });

  it('has its span active around the handler, so that what the handler enqueues belongs to the attempt', async () => {
    const seen: Record<string, string | undefined> = {};
    const kit = createTestKit(
      [
        work.handle(async ({ job }) => {
          seen['producer'] = job.traceparent;
          seen['active'] = api.trace.getActiveSpan()?.spanContext().spanId;
          // A client that knows nothing of tracing.
          await createJobClient().enqueue(second, {});
          return complete({ enqueue: [followUp(second, {})] });
        }),
        second.handle(() => undefined),
      ],
      { tracing },
    );
    const uninstall = kit.install();
    await kit.client.enqueue(work, {});
    await kit.drain().finally(uninstall);
    const [send, first, ...others] = take();
    expect(seen).toEqual({ producer: traceparentOfSpan(send), active: first?.spanContext().spanId });
    expect(others.map(linksOf)).toEqual([[traceparentOfSpan(first)], [traceparentOfSpan(first)]]);
  });

  it('hands on no tracestate of another trace to what a client without tracing enqueues', async () => {
    const ran: (string | undefined)[] = [];
    const kit = createTestKit(
      [
        work.handle(async ({ job }) => {
          ran.push(job.tracestate);
          await createJobClient().enqueue(second, {});
        }),
        second.handle(({ job }) => void ran.push(job.tracestate)),
      ],
      { tracing },
    );
    const uninstall = kit.install();
    await kit.client.enqueue(work, {}, { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, tracestate: 'vendor=1' });
    await kit.drain().finally(uninstall);
    expect(ran).toEqual(['vendor=1', undefined]);
  });

  it('has a span for each attempt, also after a redrive, all of which link to the same producer', async () => {
    const endings = [
      () => Promise.reject(new TypeError('broken')),
      () => Promise.reject(new TypeError('broken')),
      () => fail('not today'),
      () => snooze('PT1H'),
      () => undefined,
    ];
    const kit = createTestKit([work.handle(async () => endings.shift()?.())], { tracing });
    const { id } = await kit.client.enqueue(work, {});
    await kit.advance('PT10M');
    await kit.admin.redrive(id);
    await kit.advance('PT2H');
    const [send, ...attempts] = take();
    expect(attempts.map(({ attributes, status }) => [attributes['nightcrew.job.outcome'], status.code, attributes['error.type']])).toEqual([
      ['retried', SpanStatusCode.ERROR, 'TypeError'],
      ['retried', SpanStatusCode.ERROR, 'TypeError'],
      ['dead-lettered', SpanStatusCode.ERROR, 'JobFailed'],
      ['snoozed', SpanStatusCode.UNSET, undefined],
      ['completed', SpanStatusCode.UNSET, undefined],
    ]);
    expect(attempts[2]?.attributes['nightcrew.job.reason']).toBe('failed');
    expect(attempts[0]?.status.message).toBe('broken');
    expect(attempts[0]?.events.map(({ name, attributes }) => [name, attributes?.['exception.type']])).toEqual([['exception', 'TypeError']]);
    for (const attempt of attempts) expect(linksOf(attempt)).toEqual([traceparentOfSpan(send)]);
  });

  it('tells a listener of events which trace enqueued it', async () => {
    const traces: (string | undefined)[] = [];
    const kit = createTestKit([work.handle(() => undefined)], { onEvent: ({ job }) => traces.push(job.traceparent) });
    await kit.client.enqueue(work, {}, { traceparent: HEADER });
    await kit.drain();
    expect(traces).toEqual([HEADER, HEADER, HEADER]);
  });

  it('of a schedule links to nothing: its attempt is the root of a trace', async () => {
    const kit = createTestKit([work.handle(() => undefined)], { tracing });
    await kit.admin.schedules.put(defineSchedule('nightly', { job: work, payload: {}, cron: '0 2 * * *', zone: 'UTC' }));
    await kit.advance('P1D');
    const [run] = take();
    expect(run).toMatchObject({ name: 'process work', links: [] });
    expect(run?.parentSpanContext).toBeUndefined();
  });
});

describe('the trace context of a job', () => {
  const seenBy = async (options: object, kitOptions: TestKitOptions = {}): Promise<Pick<JobInfo, 'traceparent' | 'tracestate'>> => {
    let seen: Pick<JobInfo, 'traceparent' | 'tracestate'> = {};
    const kit = createTestKit(
      [work.handle(({ job: { traceparent, tracestate } }) => void (seen = { traceparent, tracestate } as never))],
      kitOptions,
    );
    await kit.client.enqueue(work, {}, options);
    await kit.drain();
    return seen;
  };

  it.each([
    ['as given', { traceparent: HEADER, tracestate: 'vendor=1' }, { traceparent: HEADER, tracestate: 'vendor=1' }],
    ['written as version 00', { traceparent: HEADER.replace(/^00(.*)01$/, 'cc$103-more') }, { traceparent: HEADER }],
    ['without a tracestate that is too long', { traceparent: HEADER, tracestate: `v=${'x'.repeat(511)}` }, { traceparent: HEADER }],
    ['without a tracestate that is no header', { traceparent: HEADER, tracestate: 'a=\n' }, { traceparent: HEADER }],
    ['with the longest tracestate', { traceparent: HEADER, tracestate: `v=${'x'.repeat(510)}` }, { tracestate: `v=${'x'.repeat(510)}` }],
    ['absent for a header that is not valid', { traceparent: HEADER.toUpperCase(), tracestate: 'vendor=1' }, {}],
    ['absent for a tracestate alone', { tracestate: 'vendor=1' }, {}],
  ])('is %s', async (_, options, expected) => {
    const seen = await seenBy(options);
    expect(seen).toEqual({
      traceparent: undefined,
      tracestate: undefined,
      ...(Object.keys(expected).length ? { traceparent: HEADER } : {}),
      ...expected,
    });
  });

  it('is that of the options before that of the current span', async () => {
    expect(await seenBy({ traceparent: HEADER }, { tracing })).toMatchObject({ traceparent: HEADER });
    expect(linksOf(take().at(-1))).toEqual([HEADER]);
  });

  it.each([
    ['traceparent', 7],
    ['tracestate', null],
  ])('refuses a %s that is no text', async (name, value) => {
    const kit = createTestKit([work]);
    await expect(kit.client.enqueue(work, {}, { [name]: value })).rejects.toThrow(
      `${name}: ${value} is not valid. Give the text of a ${name} header`,
    );
  });

  it('passes the tracestate on to the link', async () => {
    const kit = createTestKit([work.handle(() => undefined)], { tracing });
    await kit.client.enqueue(work, {}, { traceparent: HEADER, tracestate: 'vendor=1' });
    await kit.drain();
    expect(take().at(-1)?.links[0]?.context.traceState?.serialize()).toBe('vendor=1');
  });
});

describe('a producer span', () => {
  it('covers many jobs, and says how many', async () => {
    const kit = createTestKit([work.handle(() => undefined)], { tracing });
    await kit.client.enqueueMany(work, [{}, {}, {}]);
    await kit.drain();
    const [send, ...runs] = take();
    expect(send?.attributes['messaging.batch.message_count']).toBe(3);
    expect(runs.map(linksOf)).toEqual([1, 2, 3].map(() => [traceparentOfSpan(send)]));
  });

  it('fails with the enqueue', async () => {
    const kit = createTestKit([work], { tracing });
    await expect(kit.client.enqueue(work, {}, { priority: 1.5 })).rejects.toThrow('priority');
    expect(take()).toMatchObject([{ status: { code: SpanStatusCode.ERROR }, attributes: { 'error.type': 'InvalidInputError' } }]);
    await expect(kit.client.enqueue(undefined as never, {})).rejects.toThrow('Give a job type');
    expect(take()).toEqual([]);
  });
});
