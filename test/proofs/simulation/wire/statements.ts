import { TABLE_SPECS } from '../../../../shared/ports/table-spec.ts';
import type { Condition, Row, RowKey, SingleWrite } from '../../../../shared/ports/tables.ts';
import type { Scalar } from '../../../../shared/job/job.ts';
import { scalarOf } from './attributes.ts';
import { InvalidRequestError } from './invalid-request.ts';
import { type Body, expectFields, tableOf } from './request-body.ts';
import type { ShownWrite } from './write-request.ts';

const MOST_STATEMENTS = 25;
const LONGEST_TEXT = 8_192;
const TOKEN = /\s*("(?:[^"]|"")+"|[A-Z]+|begins_with|<=|[=+?*(),])/uy;

/** Reads a BatchExecuteStatement. Throws InvalidRequestError for everything that the adapter does not send. */
export function statementsOf(body: Body): readonly ShownWrite<SingleWrite>[] {
  expectFields(body, ['Statements']);
  const { Statements: statements } = body as { readonly Statements: readonly Body[] };
  if (statements.length === 0 || statements.length > MOST_STATEMENTS) throw new InvalidRequestError(`1 to ${MOST_STATEMENTS} statements`);
  const read = statements.map((statement) => {
    expectFields(statement, ['Statement', 'Parameters', 'ReturnValuesOnConditionCheckFailure']);
    const showsFailure = statement['ReturnValuesOnConditionCheckFailure'] === 'ALL_OLD';
    return { ...new StatementReader(statement).read(), showsFailure };
  });
  const rows = new Set(read.map(({ write }) => JSON.stringify([write.table, write.op === 'put' ? write.row : write.key])));
  if (rows.size < read.length) throw new InvalidRequestError('Provided list of item keys contains duplicates');
  return read;
}

type Stated = Exclude<SingleWrite, { readonly op: 'put' }>;

/** Reads one statement, as strictly as DynamoDB, as the write that the adapter means by it. */
class StatementReader {
  readonly #tokens: string[];
  readonly #values: Scalar[];

  constructor({ Statement: text, Parameters: values }: Body) {
    if (typeof text !== 'string' || text.length > LONGEST_TEXT) throw new InvalidRequestError('a statement is a text of 8,192 characters');
    this.#tokens = tokensOf(text);
    this.#values = ((values ?? []) as readonly unknown[]).map(scalarOf);
  }

  read(): Omit<ShownWrite<SingleWrite>, 'showsFailure'> {
    const isUpdate = this.#takes('UPDATE');
    if (!isUpdate) this.#expect('DELETE', 'FROM');
    const table = tableOf({ TableName: this.#name() });
    const changes = isUpdate ? this.#changes() : undefined;
    this.#expect('WHERE');
    const { key, condition } = this.#where([TABLE_SPECS[table].partition, TABLE_SPECS[table].sort]);
    this.#expect('RETURNING', 'ALL', isUpdate ? 'NEW' : 'OLD', '*');
    if (this.#tokens.length > 0 || this.#values.length > 0) throw new InvalidRequestError('something is left over');
    const write: Stated =
      changes === undefined ? { op: 'delete', table, key, condition } : { op: 'update', table, key, ...changes, condition };
    return { write, shows: isUpdate ? 'ALL_NEW' : 'ALL_OLD' };
  }

  #changes(): { readonly set: Row; readonly remove: readonly string[]; readonly add: Readonly<Record<string, number>> } {
    const changes = { set: {} as Record<string, Scalar>, remove: [] as string[], add: {} as Record<string, number> };
    while (this.#tokens[0] !== 'WHERE') {
      if (this.#takes('REMOVE')) changes.remove.push(this.#name());
      else this.#set(changes);
    }
    return changes;
  }

  #set({ set, add }: { readonly set: Record<string, Scalar>; readonly add: Record<string, number> }): void {
    this.#expect('SET');
    const name = this.#name();
    this.#expect('=');
    if (this.#tokens[0] === '?') {
      set[name] = this.#value();
      return;
    }
    if (this.#name() !== name) throw new InvalidRequestError(`${name} is set to another attribute`);
    this.#expect('+');
    add[name] = Number(this.#value());
  }

  #where(keyNames: readonly (string | undefined)[]): { readonly key: RowKey; readonly condition: Condition } {
    const key: Record<string, string> = {};
    for (const name of keyNames) {
      if (name === undefined) continue;
      if (this.#name() !== name) throw new InvalidRequestError(`${name} is not the first thing that WHERE names`);
      this.#expect('=');
      key[name] = String(this.#value());
      this.#expect('AND');
    }
    return { key, condition: this.#condition() };
  }

  #condition(): Condition {
    if (this.#takes('(')) return this.#list();
    if (this.#takes('begins_with')) {
      this.#expect('(');
      const attribute = this.#name();
      this.#expect(',');
      const value = this.#value();
      this.#expect(')');
      return { test: 'beginsWith', attribute, value };
    }
    const attribute = this.#name();
    if (this.#takes('IS')) {
      const test = this.#takes('NOT') ? 'present' : 'absent';
      this.#expect('MISSING');
      return { test, attribute };
    }
    const test = this.#takes('=') ? 'equals' : (this.#expect('<='), 'atMost');
    return { test, attribute, value: this.#value() };
  }

  #list(): Condition {
    const of = [this.#condition()];
    const word = this.#tokens[0] === 'OR' ? 'OR' : 'AND';
    while (this.#takes(word)) of.push(this.#condition());
    this.#expect(')');
    return { test: word === 'AND' ? 'all' : 'any', of };
  }

  #name(): string {
    const token = this.#tokens.shift() ?? 'the end';
    if (!token.startsWith('"')) throw new InvalidRequestError(`${token} stands where a name should`);
    return token.slice(1, -1).replaceAll('""', '"');
  }

  #value(): Scalar {
    this.#expect('?');
    const value = this.#values.shift();
    if (value === undefined) throw new InvalidRequestError('a parameter is missing');
    return value;
  }

  #takes(token: string): boolean {
    if (this.#tokens[0] !== token) return false;
    this.#tokens.shift();
    return true;
  }

  #expect(...tokens: readonly string[]): void {
    for (const token of tokens) {
      if (!this.#takes(token)) throw new InvalidRequestError(`${this.#tokens[0] ?? 'the end'} stands where ${token} should`);
    }
  }
}

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text)?.[1];
    if (found === undefined) throw new InvalidRequestError(`${text} cannot be read from ${at}`);
    tokens.push(found);
  }
  return tokens;
}
