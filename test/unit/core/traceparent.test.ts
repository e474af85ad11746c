import { describe, expect, test } from 'vitest';
import { traceparentOf } from '../../../shared/core/traceparent.ts';

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

  test.each([undefined, '', 'Root=1-5759e988-bd862e3fe1be46a994272793', 'Parent=53995c3f42cd8ad8', 'Root=2-x;Parent=y;Sampled=1'])(
    'is none for %j',
    (header) => expect(traceparentOf(header)).toBeUndefined(),
  );
});
