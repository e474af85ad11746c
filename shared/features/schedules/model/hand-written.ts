import { defined } from '../../../job/defined.ts';
import { Described, InvalidInputError } from '../../../job/errors.ts';
import { checkPriority, checkText } from '../../../job/names.ts';
import { formatRetryPolicy, parseRetryPolicy } from '../../../job/retry-policy.ts';
import { checkScheduleDefinition, type ScheduleDefinition } from './definition.ts';

/**
 * Checks a definition that people may have written by hand, as `defineSchedule` would have, and leaves out what says nothing. Every occurrence of what it refuses
 * would be an unreadable job. Rows are not held to it: a schedule that is stored stays readable.
 */
export function checkHandWritten(value: unknown): ScheduleDefinition {
  const definition = checkScheduleDefinition(value);
  const { schemaVersion, payload, priority, priorityFrom, inheritGroup, retry, tenant, group, correlationId } = definition;
  if (!(Number.isSafeInteger(schemaVersion) && schemaVersion >= 1))
    throw new InvalidInputError('schemaVersion', schemaVersion, 'Use the version of its payload, 1 for a type without versions.');
  checkJson(payload);
  if (priorityFrom !== undefined && priorityFrom !== 'type' && priorityFrom !== 'option')
    throw new InvalidInputError('priorityFrom', priorityFrom, "Use 'option', or leave it out.");
  if (inheritGroup !== undefined && typeof inheritGroup !== 'boolean')
    throw new InvalidInputError('inheritGroup', inheritGroup, 'Use true or false.');
  if (priority !== undefined) checkPriority(priority);
  // In the order of its fields, which is part of its hash.
  return defined({
    ...definition,
    retry: retry === undefined ? undefined : formatRetryPolicy(parseRetryPolicy(retry)),
    tenant: checkText(tenant, 'tenant'),
    group: checkText(group, 'group'),
    correlationId: checkText(correlationId, 'correlationId'),
  });
}

function checkJson(payload: string): void {
  try {
    JSON.parse(payload);
  } catch {
    throw new InvalidInputError('payload', new Described('the text'), 'Use JSON text, such as "{\\"shop\\":7}".');
  }
}
