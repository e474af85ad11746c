import type { Row } from '../../../../shared/ports/tables.ts';
import type { Call } from '../world/named-calls.ts';

/** Whether a patch of fields left the payload otherwise than with those fields, and all others as they were when it was written. */
export function notAsPatched(call: Call | undefined, before: Row | undefined, after: Row | undefined): boolean {
  if (call?.name !== 'patchPayload' || before === undefined || after === undefined) return false;
  const [had, has, patch] = [parsed(before), parsed(after), call.args[1] as object];
  return sortedText(has) !== sortedText({ ...had, ...patch });
}

const parsed = ({ payload }: Row): object => JSON.parse(String(payload)) as object;

const sortedText = (value: object): string => JSON.stringify(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
