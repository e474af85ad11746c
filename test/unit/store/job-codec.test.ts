import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RowUnreadableError } from '../../../shared/job/errors.ts';
import type { LeasedJob } from '../../../shared/job/job.ts';
import type { Row } from '../../../shared/ports/tables.ts';
import { makeJobId } from '../../../shared/job/job-id.ts';
import { decodeDeadLetter, decodeJob, decodeLeasedJob, decodeSuspendedJob, encodeJob } from '../../../shared/store/job-codec.ts';
import { fitError } from '../../../shared/store/fit-error.ts';
import { rowBytes } from '../../../shared/store/row-bytes.ts';
import { historyKey, jobRow, suspendedRow, timerKey, timerRow } from '../../../shared/store/rows.ts';
import { sampleJob } from '../job/sample-job.ts';

const instant = fc.integer({ min: 0, max: 4_000_000_000_000 });
const text = fc.string({ minLength: 1, maxLength: 30 });
const count = fc.nat(1_000_000);

const leased: fc.Arbitrary<LeasedJob> = fc
  .record(
    {
      type: text,
      payload: text,
      kind: fc.constantFrom('async' as const, 'timer' as const),
      worker: text,
      lane: text,
      priority: fc.integer(),
      dueAt: instant,
      createdAt: instant,
      rev: count,
      starts: count,
      failures: count,
      crashes: count,
      snoozes: count,
      dispatches: count,
      chainDepth: count,
      schemaVersion: count,
      lockOwner: text,
      lockExpiresAt: instant,
      group: text,
      tenant: text,
      correlationId: text,
      retry: text,
      traceparent: text,
      tracestate: text,
      key: text,
      keyExpiresAt: instant,
      cancelRequested: fc.boolean(),
      error: fc.record({ name: text, message: text, stack: text, at: instant }, { requiredKeys: ['name', 'message', 'at'] }),
      extra: fc.record({ addedByANewerVersion: fc.oneof(text, count, fc.boolean()) }),
    },
    {
      requiredKeys: [
        'type',
        'payload',
        'kind',
        'worker',
        'lane',
        'priority',
        'dueAt',
        'createdAt',
        'rev',
        'starts',
        'failures',
        'crashes',
        'snoozes',
        'dispatches',
        'chainDepth',
        'schemaVersion',
        'lockOwner',
        'lockExpiresAt',
      ],
    },
  )
  .map((job) => ({ ...job, id: makeJobId(job.dueAt, Buffer.from(job.lockOwner.padEnd(10, '.'))) }));

describe('a row', () => {
  it('reads back as the job that was written, with the attributes of a newer version', () => {
    fc.assert(
      fc.property(leased, (job) => {
        expect(decodeLeasedJob(jobRow(job))).toEqual(job);
      }),
    );
  });

  it('holds instants that an operator can read, and scalars only', () => {
    fc.assert(
      fc.property(leased, (job) => {
        const row = jobRow(job);
        expect(row['dueAt']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        for (const value of Object.values(row)) expect(['string', 'number', 'boolean']).toContain(typeof value);
      }),
    );
  });

  it('that lacks an attribute, or holds the wrong kind, is unreadable and the error names the attribute', () => {
    fc.assert(
      fc.property(leased, fc.constantFrom('id', 'type', 'payload', 'dueAt', 'rev', 'lockOwner'), fc.boolean(), (job, name, drop) => {
        const { [name]: _gone, ...rest } = jobRow(job);
        const broken = drop ? rest : { ...rest, [name]: name === 'rev' ? 'seven' : 7 };
        expect(() => decodeLeasedJob(broken)).toThrow(RowUnreadableError);
        expect(() => decodeLeasedJob(broken)).toThrow(name);
      }),
    );
  });

  it.each([
    ['dueAt', '2026'],
    ['dueAt', 'Jan 1 2020'],
    ['dueAt', '2026-01-01'],
    ['lockExpiresAt', '2026-01-01T00:00:00Z'],
    ['lockExpiresAt', '2026-01-01T00:00:00.000+02:00'],
    ['createdAt', '2026-02-30T00:00:00.000Z'],
    ['dueAt', '+275760-09-13T00:00:00.000Z'],
    ['dueAt', '-000001-01-01T00:00:00.000Z'],
    ['dueAt', '9999-12-31T23:59:59.999Z'],
    ['keyExpiresAt', '9999-01-01T00:00:00.000Z'],
    ['rev', 1.5],
    ['dispatches', -1],
    ['starts', 1e125],
    ['priority', 0.5],
    ['type', 'x'.repeat(129)],
  ])('whose %s holds %j is unreadable: what is compared, counted or made a key of must be fit for that', (name, value) => {
    const row = { ...jobRow(fc.sample(leased, 1)[0] as LeasedJob), [name]: value };
    expect(() => decodeLeasedJob(row)).toThrow(RowUnreadableError);
    expect(() => decodeLeasedJob(row)).toThrow(name);
  });

  it('of whatever a stranger wrote never throws anything else and never changes a prototype', () => {
    const before = Object.getOwnPropertyNames(Object.prototype);
    const junk = fc.dictionary(
      fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'id', 'dueAt')),
      fc.oneof(fc.string(), fc.double(), fc.boolean()),
    );
    fc.assert(
      fc.property(junk, (row) => {
        expect(() => decodeJob(row)).toThrow(RowUnreadableError);
      }),
    );
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
  });
});

describe('keys', () => {
  it('of a timer sort by due time and then by id, and follow from the id alone while it was never moved', () => {
    fc.assert(
      fc.property(leased, leased, (a, b) => {
        const [first, second] = [timerRow({ ...a, dueAt: Date.parse(new Date(a.dueAt).toISOString()) }), timerRow(b)];
        if (a.dueAt < b.dueAt) expect(String(first['due']) < String(second['due'])).toBe(true);
        expect(timerKey(a.id)).toEqual({ shard: first['shard'], due: first['due'] });
      }),
    );
  });

  it('of a finished job follow from its id alone', () => {
    expect(historyKey(makeJobId(Date.UTC(2026, 4, 17, 23, 59), new Uint8Array(10)))['day']).toMatch(/^2026-05-17#[0-3][0-9a-f]$/);
  });
});

describe('the error of a job that will be tried again', () => {
  it('never pushes its row into another write unit, and keeps what stack there is room for', () => {
    const stack = Array.from({ length: 80 }, (_, n) => `    at frame${n} (file.ts:${n})`).join('\n');
    fc.assert(
      fc.property(leased, fc.nat(3000), (job, size) => {
        const error = { name: 'E', message: 'm', stack, at: 0 };
        const sized = { ...job, payload: JSON.stringify('x'.repeat(size)) };
        const fitted = fitError(sized, error);
        const without = rowBytes(encodeJob({ ...sized, error: { name: 'E', message: 'm', at: 0 } }));
        const withStack = rowBytes(encodeJob({ ...sized, error: fitted }));
        expect(Math.ceil(withStack / 1024)).toBe(Math.ceil(without / 1024));
        if (Math.ceil(without / 1024) * 1024 - without > 200) expect(fitted.stack?.length).toBeGreaterThan(80);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a dead letter that holds a row which could not be read', () => {
  it('was due when it died, where the row says nothing else', () => {
    const failedAt = '2026-01-01T12:00:00.000Z';
    const dead = decodeDeadLetter({ id: makeJobId(0, new Uint8Array(10)), type: 't', reason: 'unreadable', failedAt });
    expect(dead).toMatchObject({ dueAt: Date.parse(failedAt), createdAt: Date.parse(failedAt), failedAt: Date.parse(failedAt) });
  });
});

it('a job that waits keeps the mark that it is to run alone', () => {
  expect(decodeJob(encodeJob(sampleJob({ alone: true })))).toMatchObject({ alone: true });
});

it('a suspended job is read as it was written', () => {
  const suspended = { ...sampleJob({ rev: 3 }), cause: 'c', suspendedAt: 7, from: 'jobs', tryAt: 9, tries: 2, reason: 'r' } as const;
  expect(decodeSuspendedJob(suspendedRow(suspended))).toEqual(suspended);
});

it('of several unreadable attributes the first by name is named, in whatever order a store gives them', () => {
  const spoiled: Row = { ...encodeJob(sampleJob()), rev: 'seven', dueAt: 'never' };
  const turned = Object.fromEntries(Object.entries(spoiled).toReversed());
  for (const row of [spoiled, turned]) expect(() => decodeJob(row)).toThrow(/attribute dueAt/);
});
