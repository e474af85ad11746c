import { InvalidInputError, kindOf } from './errors.ts';
import { checkOptions, checkText } from './names.ts';

/** What a failed job does to the jobs of its group behind it: they run before its retry, or they wait until it has ended. */
export type OnGroupFailure = 'continue' | 'block';

/** A group, and what a failure in it does. */
export interface GroupOptions {
  readonly name: string;
  /**
   * `block`: jobs of the group start in their order, and from its first start until it has ended a job holds back all behind it: through
   * its retries, and as a dead letter. Default `continue`.
   */
  readonly onFailure?: OnGroupFailure;
}

/** A group by its name alone, or with options. */
export type GroupInput = string | GroupOptions;

/** A group that was checked. Without a name there is none. */
export interface CheckedGroup {
  readonly group?: string;
  readonly blocks?: true;
}

/** Checks a group. Throws InvalidInputError. */
export function checkGroup(given: unknown, field = 'group'): CheckedGroup {
  if (typeof given !== 'object' || given === null) return named(checkText(given, field));
  checkOptions(given, ['name', 'onFailure'], field);
  const { name, onFailure = 'continue' } = given as Partial<GroupOptions>;
  if (onFailure !== 'continue' && onFailure !== 'block') {
    throw new InvalidInputError(`${field}.onFailure`, onFailure, 'Use continue or block.');
  }
  if (name === undefined) throw new InvalidInputError(`${field}.name`, kindOf(name), 'Give the name of the group.');
  const checked = named(checkText(name, `${field}.name`));
  return onFailure === 'block' && checked.group !== undefined ? { ...checked, blocks: true } : checked;
}

const named = (group: string | undefined): CheckedGroup => (group === undefined ? {} : { group });
