import type { Scalar } from '../../../../shared/job/job.ts';
import type { Condition, Row } from '../../../../shared/ports/tables.ts';
import { type Attributes, scalarOf } from './attributes.ts';
import { InvalidRequestError } from './invalid-request.ts';

/** The names and values that the expressions of one request stand for. */
export interface Placeholders {
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Attributes;
}

/** What an update expression does to a row. */
export interface Changes {
  readonly set: Row;
  readonly remove: readonly string[];
  readonly add: Readonly<Record<string, number>>;
}

/** Rows that a key condition selects. */
export interface KeyRange {
  readonly partition: readonly [name: string, value: string];
  readonly sort?: { readonly name: string; readonly from?: string; readonly through?: string };
}

const TOKEN = /\s*(#[a-z0-9]+|:[a-z0-9]+|[a-z_]+|[A-Z]+|<=|>=|=|[(),])/uy;

/** Reads the expressions of one request, as strictly as DynamoDB: what is not known, not declared or not used is refused. */
export class ExpressionReader {
  readonly #names: ReadonlyMap<string, string>;
  readonly #values: ReadonlyMap<string, Scalar>;
  readonly #unused: Set<string>;
  #tokens: string[] = [];

  constructor({ ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} }: Placeholders) {
    this.#names = new Map(Object.entries(names));
    this.#values = new Map(Object.entries(values).map(([name, value]) => [name, scalarOf(value)]));
    this.#unused = new Set([...this.#names.keys(), ...this.#values.keys()]);
  }

  condition(text: string): Condition {
    return this.#whole(text, () => this.#condition());
  }

  update(text: string): Changes {
    const changes = { set: {} as Record<string, Scalar>, remove: [] as string[], add: {} as Record<string, number> };
    this.#whole(text, () => {
      while (this.#tokens.length > 0) this.#clause(changes);
    });
    return changes;
  }

  keyCondition(text: string): KeyRange {
    return this.#whole(text, () => {
      const name = this.#name();
      this.#expect('=');
      const partition = [name, this.#text()] as const;
      return this.#takes('AND') ? { partition, sort: this.#sortRange() } : { partition };
    });
  }

  /** Refuses a request that declares what no expression uses. */
  end(): void {
    if (this.#unused.size > 0) throw new InvalidRequestError(`declared and not used: ${[...this.#unused].join(', ')}`);
  }

  #whole<Result>(text: string, read: () => Result): Result {
    this.#tokens = tokensOf(text);
    const result = read();
    if (this.#tokens.length > 0) throw new InvalidRequestError(`${text}: ${this.#tokens.join(' ')} is left over`);
    return result;
  }

  #condition(): Condition {
    const first = this.#operand();
    const word = this.#tokens[0];
    if (word !== 'AND' && word !== 'OR') return first;
    const of = [first];
    while (this.#takes(word)) of.push(this.#operand());
    return { test: word === 'AND' ? 'all' : 'any', of };
  }

  #operand(): Condition {
    if (!this.#takes('(')) return this.#comparison();
    if (this.#tokens[0] === '(' && this.#isRedundant()) throw new InvalidRequestError('redundant parentheses');
    const inner = this.#condition();
    this.#expect(')');
    return inner;
  }

  /** Whether parentheses hold nothing but parentheses. */
  #isRedundant(): boolean {
    let depth = 0;
    for (const [at, token] of this.#tokens.entries()) {
      if (token === '(') depth += 1;
      if (token === ')') depth -= 1;
      if (depth === 0) return this.#tokens[at + 1] === ')';
    }
    return false;
  }

  #comparison(): Condition {
    switch (this.#tokens[0]) {
      case 'attribute_not_exists':
        return { test: 'absent', attribute: this.#called(() => this.#name()) };
      case 'attribute_exists':
        return { test: 'present', attribute: this.#called(() => this.#name()) };
      case 'begins_with':
        return this.#called(() => {
          const attribute = this.#name();
          this.#expect(',');
          return { test: 'beginsWith', attribute, value: this.#value() };
        });
      default: {
        const attribute = this.#name();
        const test = this.#takes('=') ? 'equals' : (this.#expect('<='), 'atMost');
        return { test, attribute, value: this.#value() };
      }
    }
  }

  #called<Result>(read: () => Result): Result {
    this.#tokens.shift();
    this.#expect('(');
    const result = read();
    this.#expect(')');
    return result;
  }

  #clause({ set, remove, add }: { set: Record<string, Scalar>; remove: string[]; add: Record<string, number> }): void {
    const verb = this.#tokens.shift() ?? '';
    do {
      const name = this.#name();
      if ([...Object.keys(set), ...remove, ...Object.keys(add)].includes(name)) throw new InvalidRequestError(`${name} is changed twice`);
      if (verb === 'SET') {
        this.#expect('=');
        set[name] = this.#value();
      } else if (verb === 'REMOVE') remove.push(name);
      else if (verb === 'ADD') add[name] = this.#number();
      else throw new InvalidRequestError(`${verb} is no clause`);
    } while (this.#takes(','));
  }

  #sortRange(): NonNullable<KeyRange['sort']> {
    const name = this.#name();
    if (this.#takes('>=')) return { name, from: this.#text() };
    if (this.#takes('<=')) return { name, through: this.#text() };
    this.#expect('BETWEEN');
    const from = this.#text();
    this.#expect('AND');
    return { name, from, through: this.#text() };
  }

  #name(): string {
    return this.#declared(this.#names);
  }

  #value(): Scalar {
    return this.#declared(this.#values);
  }

  #text(): string {
    const value = this.#value();
    if (typeof value !== 'string') throw new InvalidRequestError(`${String(value)} is no text`);
    return value;
  }

  #number(): number {
    const value = this.#value();
    if (typeof value !== 'number') throw new InvalidRequestError(`${String(value)} is no number`);
    return value;
  }

  #declared<Value>(placeholders: ReadonlyMap<string, Value>): Value {
    const token = this.#tokens.shift() ?? 'the end';
    const value = placeholders.get(token);
    if (value === undefined) throw new InvalidRequestError(`${token} stands where a declared name or value should`);
    this.#unused.delete(token);
    return value;
  }

  #takes(token: string): boolean {
    if (this.#tokens[0] !== token) return false;
    this.#tokens.shift();
    return true;
  }

  #expect(token: string): void {
    if (!this.#takes(token)) throw new InvalidRequestError(`${this.#tokens[0] ?? 'the end'} stands where ${token} should`);
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
