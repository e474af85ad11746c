import { isScope, type Rules } from './rules.ts';

const PRIORITY_SCOPE = /^(type|tenant|tenant-default)#/;
/** Sort keys of what other features keep among the rules. */
const OTHER = /^(backlogs|events|switched-off)$|^limit#/;

/**
 * Rules that a later version set and that this one cannot apply, as their sort keys: a scope or a kind that it does not know. They stop nothing: jobs run as if
 * there were no such rule.
 */
export function unknownRules({ suspensions, priorities, others }: Rules): readonly string[] {
  return [
    ...[...suspensions.keys()].filter((scope) => !isScope(scope)).map((scope) => `suspension#${scope}`),
    ...[...priorities.keys()].filter((scope) => !PRIORITY_SCOPE.test(scope)).map((scope) => `priority#${scope}`),
    ...[...others.keys()].filter((sort) => !OTHER.test(sort)),
  ];
}
