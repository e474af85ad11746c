import { describe, expect, test } from 'vitest';
import { parseTraceparent, traceContextOf, traceparentOf } from '../../../shared/job/traceparent.ts';

const HEADER = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1';
const TRACEPARENT = '00-5759e988bd862e3fe1be46a994272793-53995c3f42cd8ad8-01';

describe("the trace header of X-Ray as W3C's", () => {
  test.each([
    [HEADER, TRACEPARENT],
    [`${HEADER};Lineage=1:a87bd80c:0`, TRACEPARENT],
    ['Root=1-5759E988-BD862E3FE1BE46A994272793;Parent=53995C3F42CD8AD8;Sampled=0', TRACEPARENT.replace(/01$/, '00')],
    ['Sampled=1; Parent=53995c3f42cd8ad8; Root=1-5759e988-bd862e3fe1be46a994272793', TRACEPARENT],
    ['Parent=53995c3f42cd8ad8;Sampled=1;Root=1-5759e988-bd862e3fe1be46a994272793', TRACEPARENT],
    ['Root=1-5759e988-bd862e3fe1be46a994272793; Sampled=1;Parent=53995c3f42cd8ad8', TRACEPARENT],
    ['Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;NotSampled=1', TRACEPARENT.replace(/01$/, '00')],
  ])('%s', (header, traceparent) => expect(traceparentOf(header)).toBe(traceparent));

  test.each([
    undefined,
    '',
    'Root=1-5759e988-bd862e3fe1be46a994272793',
    'Parent=53995c3f42cd8ad8',
    'Root=2-x;Parent=y;Sampled=1',
    'Root=1-00000000-000000000000000000000000;Parent=53995c3f42cd8ad8;Sampled=1',
  ])('is none for %j', (header) => expect(traceparentOf(header)).toBeUndefined());
});

describe('a traceparent', () => {
  const FIELDS = { traceId: '5759e988bd862e3fe1be46a994272793', spanId: '53995c3f42cd8ad8' };

  // The cases of W3C's test suite, https://github.com/w3c/trace-context/blob/main/test/test.py.
  test.each([
    [TRACEPARENT, '01'],
    [TRACEPARENT.replace(/01$/, 'ff'), 'ff'],
    [TRACEPARENT.replace(/^00/, 'cc'), '01'],
    [`${TRACEPARENT.replace(/^00/, 'cc')}-what-the-future-will-be-like`, '01'],
    [`${TRACEPARENT.replace(/^00(.*)01$/, 'cc$106')}-`, '00'],
    [TRACEPARENT.replace(/^00(.*)01$/, '01$1ff'), '01'],
  ])('%s has the flags %s', (text, flags) => expect(parseTraceparent(text)).toEqual({ ...FIELDS, flags }));

  test('may have ids that begin with a zero', () => {
    const ids = { traceId: `0${FIELDS.traceId.slice(1)}`, spanId: `0${FIELDS.spanId.slice(1)}` };
    expect(parseTraceparent(`00-${ids.traceId}-${ids.spanId}-01`)).toEqual({ ...ids, flags: '01' });
  });

  test.each([
    undefined,
    7,
    [TRACEPARENT],
    '',
    TRACEPARENT.toUpperCase(),
    TRACEPARENT.replace(/^00/, 'ff'),
    `${TRACEPARENT}-x`,
    `${TRACEPARENT}.`,
    ` ${TRACEPARENT}`,
    TRACEPARENT.replace(/^00/, 'cc').concat('.what'),
    TRACEPARENT.replace(/^00-/, '0-'),
    TRACEPARENT.replace('5759e988bd862e3fe1be46a994272793', '0'.repeat(32)),
    TRACEPARENT.replace('53995c3f42cd8ad8', '0'.repeat(16)),
    TRACEPARENT.replace('5759', '.759'),
    TRACEPARENT.replace('5759', '759'),
    TRACEPARENT.replace('-01', '-1'),
    `${TRACEPARENT}, ${TRACEPARENT}`,
  ])('%j is ignored', (text) => expect(parseTraceparent(text)).toBeUndefined());
});

describe('a trace context', () => {
  test('is written as version 00', () => expect(traceContextOf(TRACEPARENT.replace(/^00/, 'cc'))).toEqual({ traceparent: TRACEPARENT }));
  test.each([['a=1,b=2'], ['x'.repeat(512)]])('keeps the tracestate %s', (tracestate) =>
    expect(traceContextOf(TRACEPARENT, tracestate)).toEqual({ traceparent: TRACEPARENT, tracestate }),
  );
  test.each([[undefined], [''], [7], ['x'.repeat(513)], ['a=ü'], ['a=\n']])('drops the tracestate %j', (tracestate) =>
    expect(traceContextOf(TRACEPARENT, tracestate)).toEqual({ traceparent: TRACEPARENT }),
  );
  test('is none without a traceparent', () => expect(traceContextOf('', 'a=1')).toBeUndefined());
});
