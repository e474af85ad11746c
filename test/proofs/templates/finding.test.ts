import { describe, expect, it } from 'vitest';
import { ACCEPTED } from './accepted.ts';
import { type Finding, judge, missed } from './finding.ts';

const queue: Finding = { template: 'example', rule: 'CKV_AWS_27', resource: 'Lane', type: 'AWS::SQS::Queue', message: 'not encrypted' };
const accepted = { rule: 'CKV_AWS_27', types: ['AWS::SQS::Queue'], template: 'example', reason: 'keys of SQS' };

describe('findings about templates', () => {
  it('are open unless one is accepted for this rule, type and template', () => {
    expect(judge([queue], [accepted])).toEqual({ open: [], unused: [] });
    const others: readonly Finding[] = [
      { ...queue, rule: 'CKV_AWS_28' },
      { ...queue, type: 'AWS::SNS::Topic' },
      { ...queue, template: 'all-options' },
    ];
    expect(judge([queue, ...others], [accepted]).open).toEqual(others);
  });

  it('stand for every type and template where the acceptance names none', () => {
    expect(judge([queue, { ...queue, type: '', template: 'all-options' }], [{ rule: 'CKV_AWS_27', reason: 'any' }]).open).toEqual([]);
  });

  it('must exist for each type that is accepted, so that no acceptance outlives them', () => {
    const both = { ...accepted, types: [...accepted.types, 'AWS::SNS::Topic'] };
    expect(judge([queue], [both]).unused).toEqual(['CKV_AWS_27 of AWS::SNS::Topic in example']);
    expect(judge([], [{ rule: 'W3005', reason: 'any' }]).unused).toEqual(['W3005 of any resource in any template']);
  });

  it('miss a planted fault that is only found in another template or resource', () => {
    const planted = ['E3034 Queue', 'E3039 Table'];
    const found: readonly Finding[] = [
      { ...queue, template: 'planted', rule: 'E3034', resource: 'Queue' },
      { ...queue, template: 'planted', rule: 'E3039', resource: 'Queue' },
      { ...queue, template: 'example', rule: 'E3039', resource: 'Table' },
    ];
    expect(missed(found, planted)).toEqual(['E3039 Table']);
  });

  it('are accepted in at most eleven cases, each with a reason', () => {
    expect(ACCEPTED.length).toBeLessThanOrEqual(11);
    for (const { reason } of ACCEPTED) expect(reason.length).toBeGreaterThan(40);
  });
});
