import { RowUnreadableError } from '../job/errors.ts';
import { iso } from '../job/instant.ts';
import type { Scalar } from '../job/job.ts';
import type { Row } from '../ports/tables.ts';
import { type FieldKind, readAs } from './job-codec.ts';

/** How a field is stored. `text` must be there; `text?` may be absent; `text~` is left out if it is absent or damaged. */
type Field = FieldKind | `${FieldKind}?` | `${FieldKind}~`;
type Fields = Readonly<Record<string, Field>>;

interface Values {
  readonly text: string;
  readonly integer: number;
  readonly count: number;
  readonly number: number;
  readonly instant: number;
  readonly flag: boolean;
}
type ValueOf<Of> = Of extends FieldKind ? Values[Of] : Of extends `${infer Kind extends FieldKind}${'?' | '~'}` ? Values[Kind] : never;
type RequiredFields<Of> = { readonly [Name in keyof Of as Of[Name] extends FieldKind ? Name : never]: ValueOf<Of[Name]> };
type OptionalFields<Of, Absent> = { readonly [Name in keyof Of as Of[Name] extends FieldKind ? never : Name]?: ValueOf<Of[Name]> | Absent };

/** The fields of one kind of row. Instants are epoch milliseconds; absent fields have no attribute. */
export interface RowCodec<Of> {
  /** The attributes of these fields; others are left out. */
  encode(values: RequiredFields<Of> & OptionalFields<Of, undefined>): Row;
  /** The fields of a row. Throws RowUnreadableError, naming the first one that is damaged or missing. */
  decode(row: Row): RequiredFields<Of> & OptionalFields<Of, never>;
}

/** Reads and writes rows by the kinds of their fields. */
export function rowCodec<const Of extends Fields>(fields: Of): RowCodec<Of> {
  const kinds = Object.entries(fields).map(([name, field]) => ({
    name,
    kind: field.replace(/[?~]$/, '') as FieldKind,
    rule: field.at(-1),
  }));
  return {
    encode: (values) => {
      const row: Record<string, Scalar> = {};
      for (const { name, kind } of kinds) {
        const value = (values as Readonly<Record<string, Scalar | undefined>>)[name];
        if (value !== undefined) row[name] = kind === 'instant' ? iso(Number(value)) : value;
      }
      return row;
    },
    decode: (row) => {
      const values: Record<string, Scalar> = {};
      for (const { name, kind, rule } of kinds) {
        const value = readAs(kind, row[name]);
        if (value !== undefined) values[name] = value;
        else if (rule !== '~' && (rule !== '?' || row[name] !== undefined)) throw new RowUnreadableError(name, row[name] ?? 'nothing');
      }
      return values as RequiredFields<Of> & OptionalFields<Of, never>;
    },
  };
}

/** The value that `read` gives, or nothing: a row that cannot be read is left out and must not hide its neighbours. */
export function readable<Value>(read: () => Value): Value[] {
  try {
    return [read()];
  } catch (error) {
    if (error instanceof RowUnreadableError) return [];
    throw error;
  }
}
