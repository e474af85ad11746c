import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as api from '@opentelemetry/api';
import { SpanKind } from '@opentelemetry/api';
import { AwsLambdaInstrumentation } from '@opentelemetry/instrumentation-aws-lambda';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { openTelemetry } from '../../shared/adapters/opentelemetry/index.ts';
import { encodeEnvironment } from '../../shared/config/environment.ts';
import { createExecutor } from '../../functions/index.ts';
import { createJobClient, defineJob } from '../../shared/index.ts';
import { freshTables, testDynamo } from '../support/emulators.ts';
import { recordSpans, traceparentOfSpan } from '../support/recorded-spans.ts';
import { anyPayload } from '../support/rig.ts';
import { wireServer } from '../support/wire-server.ts';

const ROOT = mkdtempSync(join(tmpdir(), 'nightcrew-traced-'));
const LAMBDA = { awsRequestId: 'r', functionName: 'orders', invokedFunctionArn: 'arn:aws:lambda:us-east-1:1:function:orders' };
const ENTRY = Symbol.for('nightcrew.test.entry');
afterAll(() => rmSync(ROOT, { recursive: true, force: true }));
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

type Invoke = (event: unknown, context: object) => Promise<unknown>;

/** A function as Lambda would load it, patched by OpenTelemetry's instrumentation of Lambda. */
function instrumented(name: string, provider: api.TracerProvider, entry: Invoke): Invoke {
  const folder = mkdtempSync(join(ROOT, 'task-'));
  vi.stubEnv('LAMBDA_TASK_ROOT', folder);
  vi.stubEnv('_HANDLER', `${name}.handler`);
  const file = join(folder, `${name}.cjs`);
  writeFileSync(
    file,
    `const entry = globalThis[Symbol.for('${ENTRY.description}')]; exports.handler = (event, context) => entry(event, context);`,
  );
  Reflect.set(globalThis, ENTRY, entry);
  const instrumentation = new AwsLambdaInstrumentation();
  instrumentation.setTracerProvider(provider);
  const { handler } = createRequire(import.meta.url)(file) as { readonly handler: Invoke };
  return handler;
}

async function deployment(): Promise<Readonly<Record<string, string>>> {
  const [{ names }, { endpoint }, sqs] = await Promise.all([freshTables(), testDynamo(), wireServer(() => ({}))]);
  return {
    ...encodeEnvironment({ tables: names, workers: { default: { lanes: { default: `${sqs.endpoint}/0/jobs` } } }, worker: 'default' }),
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_ENDPOINT_URL_SQS: sqs.endpoint,
  };
}

it('spans of instrumented Lambdas: invocation, enqueue, and in the other function the invocation with its attempts', async () => {
  const spans = recordSpans();
  spans.take();
  const environment = await deployment();
  const tracing = openTelemetry(api);
  const work = defineJob('work', { payload: anyPayload });
  const client = createJobClient({ environment, tracing });
  let id = '';
  const produce = instrumented('producer', spans.provider, async () => void ({ id } = await client.enqueue(work, {})));
  await produce({}, { ...LAMBDA, getRemainingTimeInMillis: () => 10_000 });
  const [send, producer] = spans.take();
  expect(producer).toMatchObject({ name: 'orders', kind: SpanKind.SERVER });
  expect(send?.parentSpanContext?.spanId).toBe(producer?.spanContext().spanId);

  const lines: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => lines.push(String(chunk)) > 0);
  const handle = work.handle(({ log }) => log.info('charged'));
  const flushed = vi.spyOn(spans.provider, 'forceFlush');
  const executor = createExecutor([handle], { environment, tracing }).use({ after: async () => spans.provider.forceFlush() });
  const execute = instrumented('executor', spans.provider, executor as unknown as Invoke);
  const record = { messageId: 'm', receiptHandle: 'r', eventSource: 'aws:sqs', eventSourceARN: 'arn:aws:sqs:us-east-1:1:jobs' };
  const answer = await execute(
    { Records: [{ ...record, body: JSON.stringify({ v: 1, id, n: 1 }), messageAttributes: {} }] },
    { ...LAMBDA, getRemainingTimeInMillis: () => 10_000 },
  );
  // Once by the middleware of the guide, once by the instrumentation.
  expect(flushed).toHaveBeenCalledTimes(2);
  vi.restoreAllMocks();
  expect(answer).toEqual({ batchItemFailures: [] });
  const all = spans.take();
  const attempt = all.find(({ name }) => name === 'process work');
  const invocation = all.find(({ kind }) => kind === SpanKind.SERVER);
  expect(attempt?.parentSpanContext?.spanId).toBe(invocation?.spanContext().spanId);
  expect(attempt?.links.map(({ context }) => context.spanId)).toEqual([send?.spanContext().spanId]);
  const said = lines.flatMap((line) => line.split('\n')).find((line) => line.includes('charged')) ?? '{}';
  expect(JSON.parse(said)).toMatchObject({ jobId: id, trace_id: attempt?.spanContext().traceId, span_id: attempt?.spanContext().spanId });
  expect(traceparentOfSpan(attempt)).not.toBe(traceparentOfSpan(invocation));
});

it('a job without OpenTelemetry carries the trace of X-Ray, and the lines of its handler name it', async () => {
  const environment = await deployment();
  const work = defineJob('work', { payload: anyPayload });
  vi.stubEnv('_X_AMZN_TRACE_ID', 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1');
  const { id } = await createJobClient({ environment }).enqueue(work, {});
  vi.stubEnv('_X_AMZN_TRACE_ID', 'Root=1-6000e988-bd862e3fe1be46a994272793;Parent=60005c3f42cd8ad8;Sampled=1');
  const lines: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => lines.push(String(chunk)) > 0);
  const handler = createExecutor([work.handle(({ log }) => log.info('charged'))], { environment });
  const record = {
    messageId: 'm',
    receiptHandle: 'r',
    eventSourceARN: 'arn:aws:sqs:us-east-1:1:jobs',
    body: JSON.stringify({ v: 1, id, n: 1 }),
  };
  await handler({ Records: [record] }, { awsRequestId: 'r', getRemainingTimeInMillis: () => 10_000 });
  vi.restoreAllMocks();
  const said = lines.flatMap((line) => line.split('\n')).find((line) => line.includes('charged')) ?? '{}';
  expect(JSON.parse(said)).toMatchObject({ jobId: id, trace_id: '5759e988bd862e3fe1be46a994272793' });
  expect(JSON.parse(said)).not.toHaveProperty('span_id');
});
