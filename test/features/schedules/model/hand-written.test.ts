import { describe, expect, it } from 'vitest';
import { InvalidInputError } from '../../../../shared/job/errors.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { defineSchedule, definitionHash } from '../../../../shared/features/schedules/model/definition.ts';
import { checkHandWritten } from '../../../../shared/features/schedules/model/hand-written.ts';
import { anyPayload } from '../../../support/any-payload.ts';

const job = defineJob('report', { payload: anyPayload });
const whole = defineSchedule('nightly', {
  job,
  payload: { kind: 'nightly' },
  cron: '0 6 * * MON',
  tenant: 'acme',
  priority: 3,
  retry: 'R5/PT5M',
  group: 'g',
  correlationId: 'c',
});

describe('a definition of a schedule that people wrote', () => {
  it('is the one of defineSchedule, with the same hash', () => {
    expect(checkHandWritten(whole)).toEqual(whole);
    expect(definitionHash(checkHandWritten(whole))).toBe(definitionHash(whole));
  });

  it('has its retry policy in the canonical form, and no empty texts', () => {
    const { retry, tenant, ...rest } = checkHandWritten({ ...whole, retry: 'PT5M, PT10M', tenant: '' });
    expect([retry, tenant]).toEqual(['PT5M,PT10M', undefined]);
    expect(Object.keys(rest)).not.toContain('tenant');
  });

  it.each([
    ['schemaVersion', 0],
    ['schemaVersion', '1'],
    ['schemaVersion', undefined],
    ['payload', 'no json'],
    ['priority', 'high'],
    ['priorityFrom', 'me'],
    ['retry', 'often'],
    ['tenant', 7],
    ['group', {}],
    ['correlationId', ['c']],
    ['inheritGroup', 'yes'],
  ])('is refused with %s %j, before an occurrence of it cannot be read', (field, value) => {
    const wrong = { ...whole, [field]: value };
    expect(() => checkHandWritten(wrong)).toThrow(InvalidInputError);
    expect(() => checkHandWritten(wrong)).toThrow(field);
  });

  it('is refused without a word of its payload, which may hold what no log should', () => {
    expect(() => checkHandWritten({ ...whole, payload: '{"ssn": 78051120' })).toThrow(/^payload: the text is not valid\. Use JSON text/);
  });
});
