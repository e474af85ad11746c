import { type Condition, type IndexSpec, type Scalar, type TableName, TABLE_SPECS, type Write } from '../../shared/adapters/own/index.ts';

/** Collects the values of a statement: each call gives the name of its parameter. */
export class Values {
  readonly list: unknown[] = [];

  text(value: string): string {
    return this.#next(value, 'text');
  }

  number(value: number): string {
    return this.#next(String(value), 'numeric');
  }

  json(value: unknown): string {
    return this.#next(JSON.stringify(value), 'jsonb');
  }

  texts(values: readonly string[]): string {
    return this.#next(values, 'text[]');
  }

  #next(value: unknown, type: string): string {
    return `$${this.list.push(value)}::${type}`;
  }
}

/** The table of PostgreSQL that holds a table of Nightcrew. */
export const tableName = (table: TableName): string => `nightcrew_${table.toLowerCase()}`;

/** Both parts of a key; a table without a sort key has an empty one. */
export function keyParts(table: TableName, key: Readonly<Record<string, Scalar>>): readonly [pk: string, sk: string] {
  const { partition, sort } = TABLE_SPECS[table];
  return [String(key[partition]), sort === undefined ? '' : String(key[sort])];
}

/** A key of an index, which is ordered by bytes as DynamoDB's are. */
export const indexKey = (attribute: string): string => `((item ->> '${attribute}') COLLATE "C")`;

/** Whether a condition holds for `item`, a column. An absent attribute makes a comparison false, never null. */
export function conditionSql(condition: Condition | undefined, item: string, values: Values): string {
  return condition === undefined ? 'true' : `coalesce(${part(condition, item, values)}, false)`;
}

function part(condition: Condition, item: string, values: Values): string {
  if ('of' in condition) {
    return `(${condition.of.map((one) => part(one, item, values)).join(condition.test === 'all' ? ' AND ' : ' OR ')})`;
  }
  const name = values.text(condition.attribute);
  const ofType = (type: string, test: string): string =>
    `(CASE WHEN jsonb_typeof(${item} -> ${name}) = '${type}' THEN ${test} ELSE false END)`;
  switch (condition.test) {
    case 'absent':
      return `NOT (${item} ? ${name})`;
    case 'present':
      return `(${item} ? ${name})`;
    case 'equals':
      return `((${item} -> ${name}) = ${values.json(condition.value)})`;
    case 'beginsWith':
      return ofType('string', `starts_with(${item} ->> ${name}, ${values.text(String(condition.value))})`);
    case 'atMost':
      return typeof condition.value === 'number'
        ? ofType('number', `(${item} ->> ${name})::numeric <= ${values.number(condition.value)}`)
        : ofType('string', `(${item} ->> ${name}) COLLATE "C" <= ${values.text(String(condition.value))}`);
  }
}

/** The row that an update makes of `item`. To add to a text fails the statement. */
export function updatedSql(write: Write & { readonly op: 'update' }, item: string, values: Values): string {
  const kept = `((${item} || ${values.json(write.set)}) - ${values.texts(write.remove ?? [])})`;
  const sums = Object.entries(write.add ?? {}).map(([attribute, amount]) => {
    const name = values.text(attribute);
    return `jsonb_build_object(${name}, coalesce((${item} -> ${name})::numeric, 0) + ${values.number(amount)})`;
  });
  return [kept, ...sums].join(' || ');
}

/** What an index shows of `item`: its own keys, those of the table, and its columns. */
export function projectedSql(table: TableName, index: IndexSpec, values: Values): string {
  const { partition, sort } = TABLE_SPECS[table];
  const names = [partition, sort, index.partition, index.sort, ...index.projects].filter((name) => name !== undefined);
  return `(SELECT jsonb_object_agg(key, value) FROM jsonb_each(item) WHERE key = ANY (${values.texts(names)}))`;
}
