import { TABLE_SPECS } from '../../../../shared/ports/table-spec.ts';
import type { TableName } from '../../../../shared/ports/tables.ts';
import { InvalidRequestError } from './invalid-request.ts';

/** The body of a request as it stands in JSON. */
export type Body = Readonly<Record<string, unknown>>;

/** The table that a request names. Throws ResourceNotFoundException for one that is not there. */
export function tableOf({ TableName: name }: Body): TableName {
  if (typeof name === 'string' && Object.hasOwn(TABLE_SPECS, name)) return name as TableName;
  throw Object.assign(new InvalidRequestError(`there is no table ${JSON.stringify(name)}`), { name: 'ResourceNotFoundException' });
}

/** Refuses what the adapter never sends. */
export function expectFields(body: object, known: readonly string[]): void {
  const unknown = Object.keys(body).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new InvalidRequestError(`${unknown} is not known`);
}
