import type { BulkAction } from '../../operate/verbs.ts';
import type { AskedField, JobVerb, VerbArgument } from '../../operate/verbs/verb.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import { editedPayload } from '../jobs/payload-text.ts';
import type { Session } from '../page.ts';
import { type Body, flagOf, textOf, timeOf, wantedWhole, wholeOf } from './body-fields.ts';

/** Which dialog was filled in. */
export type Dialog = keyof NonNullable<VerbArgument['asked']>;

/** The action of a body. Throws InvalidInputError for a missing or unknown argument. */
export function actionOf(verb: JobVerb, dialog: Dialog, body: Body, session: Pick<Session, 'now' | 'redact'>): BulkAction {
  const fields = (verb.arguments ?? []).map((argument) => [argument.field, valueOf(argument, dialog, body, session)] as const);
  return { verb: verb.name, ...Object.fromEntries(fields.filter(([, value]) => value !== undefined)) } as BulkAction;
}

/** Placeholders of required arguments, to count jobs before a dialog is filled in. */
export function samplesOf({ arguments: given = [] }: JobVerb): Body {
  return Object.fromEntries(
    given.flatMap(({ asked, sample }) => (sample === undefined || asked === undefined ? [] : [[asked.many.name, sample]])),
  );
}

function valueOf(
  { kind, required, asked, missing, noneFlag }: VerbArgument,
  dialog: Dialog,
  body: Body,
  { now, redact }: Pick<Session, 'now' | 'redact'>,
): unknown {
  if (asked === undefined) return undefined;
  const { name }: AskedField = asked[dialog];
  switch (kind) {
    case 'whole':
      return required === true ? wantedWhole(body, name) : wholeOf(body, name);
    case 'instant': {
      const at = timeOf(body, name, now());
      if (at === undefined && missing !== undefined) throw new InvalidInputError(name, body[name], missing[dialog]);
      return at;
    }
    case 'name':
      return textOf(body, name) ?? (noneFlag === undefined ? undefined : null);
    case 'json':
      return required === true || (body[name] !== undefined && body[name] !== '')
        ? editedPayload(body[name], undefined, redact, name)
        : undefined;
    case 'flag':
      return flagOf(body, name) ? true : undefined;
  }
}
