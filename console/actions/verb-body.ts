import type { BulkAction } from '../../shared/admin/verbs.ts';
import type { AskedField, JobVerb, VerbArgument } from '../../shared/admin/verbs/verb.ts';
import { InvalidInputError } from '../../shared/core/errors.ts';
import { type Body, textOf, timeOf, wantedWhole, wholeOf } from './body-fields.ts';

/** Which dialog was filled in. */
export type Dialog = keyof VerbArgument['asked'];

/** The action that a body asks for. Throws InvalidInputError for an argument that is missing, or that is none. */
export function actionOf(verb: JobVerb, dialog: Dialog, body: Body, now: number): BulkAction {
  const fields = (verb.arguments ?? []).map((argument) => [argument.field, valueOf(argument, dialog, body, now)] as const);
  return { verb: verb.name, ...Object.fromEntries(fields.filter(([, value]) => value !== undefined)) } as BulkAction;
}

/** Stand-ins for what is required, to count with before a dialog is filled in. */
export function samplesOf({ arguments: given = [] }: JobVerb): Body {
  return Object.fromEntries(given.flatMap(({ asked, sample }) => (sample === undefined ? [] : [[asked.many.name, sample]])));
}

function valueOf(
  { kind, required, asked, missing }: VerbArgument,
  dialog: Dialog,
  body: Body,
  now: number,
): number | Date | string | null | undefined {
  const { name }: AskedField = asked[dialog];
  switch (kind) {
    case 'whole':
      return required === true ? wantedWhole(body, name) : wholeOf(body, name);
    case 'instant': {
      const at = timeOf(body, name, now);
      if (at === undefined && missing !== undefined) throw new InvalidInputError(name, body[name], missing[dialog]);
      return at;
    }
    case 'name':
      return textOf(body, name) ?? null;
  }
}
