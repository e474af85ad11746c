import { StoreRefusedError } from '../../job/errors.ts';
import type { Scalar } from '../../job/job.ts';
import type { Condition, Write } from '../../ports/tables.ts';
import { type Item, toAttribute } from './marshal.ts';

/**
 * The expressions of one command with the names and values they share. Every name is aliased, because `shard` and many more
 * are reserved words.
 */
export class Expressions {
  readonly #names = new Map<string, string>();
  readonly #values: Item = {};

  /** An alias of an attribute's name. */
  name(attribute: string): string {
    const alias = this.#names.get(attribute) ?? `#n${this.#names.size}`;
    this.#names.set(attribute, alias);
    return alias;
  }

  /** A placeholder of a value. */
  value(value: Scalar, attribute: string): string {
    const placeholder = `:v${Object.keys(this.#values).length}`;
    this.#values[placeholder] = toAttribute(value, attribute);
    return placeholder;
  }

  /** The text of a condition. Throws StoreRefusedError for a list without conditions and for a value that cannot be compared so. */
  condition(condition: Condition): string {
    switch (condition.test) {
      case 'absent':
        return `attribute_not_exists(${this.name(condition.attribute)})`;
      case 'present':
        return `attribute_exists(${this.name(condition.attribute)})`;
      case 'equals':
        return `${this.name(condition.attribute)} = ${this.value(condition.value, condition.attribute)}`;
      case 'beginsWith':
        if (typeof condition.value !== 'string') throw refused('beginsWith compares with a text');
        return `begins_with(${this.name(condition.attribute)}, ${this.value(condition.value, condition.attribute)})`;
      case 'atMost':
        if (typeof condition.value === 'boolean') throw refused('atMost compares with a text or a number');
        return `${this.name(condition.attribute)} <= ${this.value(condition.value, condition.attribute)}`;
      case 'all':
      case 'any':
        if (condition.of.length === 0) throw refused(`${condition.test} names no conditions`);
        // DynamoDB refuses redundant parentheses.
        if (condition.of.length === 1) return this.condition(condition.of[0] as Condition);
        return condition.of.map((one) => `(${this.condition(one)})`).join(condition.test === 'all' ? ' AND ' : ' OR ');
    }
  }

  /**
   * The text of an update's changes; `undefined` when it changes nothing but may create the row. Throws StoreRefusedError when it
   * changes an attribute twice.
   */
  update({ set, remove = [], add = {} }: Write & { readonly op: 'update' }): string | undefined {
    const changed = [...Object.keys(set), ...remove, ...Object.keys(add)];
    if (new Set(changed).size < changed.length) throw refused('an attribute is changed twice');
    const clauses = [
      ['SET', Object.entries(set).map(([name, value]) => `${this.name(name)} = ${this.value(value, name)}`)],
      ['REMOVE', remove.map((name) => this.name(name))],
      ['ADD', Object.entries(add).map(([name, value]) => `${this.name(name)} ${this.value(value, name)}`)],
    ] as const;
    const texts = clauses.flatMap(([verb, parts]) => (parts.length === 0 ? [] : [`${verb} ${parts.join(', ')}`]));
    return texts.length === 0 ? undefined : texts.join(' ');
  }

  /** Names and values for the command; each is left out where it is empty, as DynamoDB demands. */
  parameters(): { readonly ExpressionAttributeNames?: Record<string, string>; readonly ExpressionAttributeValues?: Item } {
    const names = Object.fromEntries([...this.#names].map(([attribute, alias]) => [alias, attribute]));
    return {
      ...(this.#names.size === 0 ? {} : { ExpressionAttributeNames: names }),
      ...(Object.keys(this.#values).length === 0 ? {} : { ExpressionAttributeValues: this.#values }),
    };
  }
}

// Not left to DynamoDB: some emulators let it pass.
const refused = (why: string): StoreRefusedError => new StoreRefusedError('expression', new TypeError(why));

/** Whether a condition holds without a row: if it failed anyway, there is one. */
export function holdsWithoutRow(condition: Condition): boolean {
  if (condition.test === 'all') return condition.of.every(holdsWithoutRow);
  if (condition.test === 'any') return condition.of.some(holdsWithoutRow);
  return condition.test === 'absent';
}
