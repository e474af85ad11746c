import { SpanStatusCode } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { expect, test } from 'vitest';
import { runOrder } from '../../examples/tracing/order.ts';
import { recordSpans } from '../support/recorded-spans.ts';

/** Each span with its parent, the spans that it links to and its outcome, by name. */
function told(spans: readonly ReadableSpan[]): readonly string[] {
  const nameOf = (id: string | undefined): string => {
    const index = spans.findIndex((span) => span.spanContext().spanId === id);
    return index < 0 ? 'none' : `${index + 1}`;
  };
  return spans.map((span, index) => {
    const { name, attributes, status } = span;
    const links = span.links.map(({ context }) => nameOf(context.spanId)).join(', ') || 'none';
    const { 'nightcrew.job.outcome': ended = '-' } = attributes as Readonly<Record<string, string>>;
    const outcome = status.code === SpanStatusCode.ERROR ? `${ended}, error` : ended;
    return `${index + 1} | ${name} | ${nameOf(span.parentSpanContext?.spanId)} | ${links} | ${outcome}`;
  });
}

test('the spans of an order lead from the request through each attempt to the follow-up', async () => {
  const spans = recordSpans();
  spans.take();
  await runOrder();
  expect(told(spans.take('started'))).toEqual([
    '1 | POST /orders | none | none | -',
    '2 | send order.charge | 1 | none | -',
    '3 | process order.charge | none | 2 | retried, error',
    '4 | charge card | 3 | none | -',
    '5 | process order.charge | none | 2 | completed',
    '6 | charge card | 5 | none | -',
    '7 | process order.receipt | none | 5 | completed',
  ]);
});
