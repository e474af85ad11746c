import type { Admin } from '../../operate/admin.ts';
import { defined } from '../../shared/job/defined.ts';
import { REASON_FLAG } from '../common-flags.ts';
import type { Call } from '../call.ts';
import { EXIT, UsageError } from '../exit.ts';
import { plain } from '../text/plain.ts';
import type { Verb } from '../verb.ts';

const ARGUMENT = { text: '<fingerprint>', doc: 'fingerprint of the group, as shown by groups and show' };

/** `annotate`: a note and an owner of an error group. */
const annotateVerb: Verb = {
  name: 'annotate',
  summary: 'adds a note to an error group, or names its owner',
  argument: ARGUMENT,
  flags: [
    { flags: '--note <text>', doc: 'the note, replacing an earlier one; an empty string removes it' },
    { flags: '--owner <name>', doc: 'who handles it; an empty string removes the owner' },
    REASON_FLAG,
  ],
  changes: true,
  run: async (call) => {
    const [note, owner] = [call.text('note'), call.text('owner')];
    if (note === undefined && owner === undefined) throw new UsageError('use --note or --owner.');
    const words = defined({ note: note === '' ? null : note, owner: owner === '' ? null : owner });
    return triage(call, async (admin, fingerprint, context) => admin.annotateErrorGroup(fingerprint, words, context));
  },
};

/** `ignore`: leaves an error group out of the open ones for a time. */
const ignoreVerb: Verb = {
  name: 'ignore',
  summary: 'ignores an error group until a time, even if more jobs die of it',
  argument: ARGUMENT,
  flags: [{ flags: '--until <time>', doc: 'a time, or a duration from now such as 2h or 7d' }, REASON_FLAG],
  changes: true,
  run: async (call) => {
    const until = call.instant('until', 'ahead');
    if (until === undefined) throw new UsageError('--until is missing.');
    return triage(call, async (admin, fingerprint, context) => admin.ignoreErrorGroup(fingerprint, until, context));
  },
};

/** `resolve`: the fault is fixed. */
const resolveVerb: Verb = {
  name: 'resolve',
  summary: 'marks an error group as resolved; it is open again when another job dies of it',
  argument: ARGUMENT,
  flags: [REASON_FLAG],
  changes: true,
  more: 'Its dead letters stay: redrive or delete them.',
  run: async (call) => triage(call, async (admin, fingerprint, context) => admin.resolveErrorGroup(fingerprint, context)),
};

/** `reopen`: undoes ignore and resolve. */
const reopenVerb: Verb = {
  name: 'reopen',
  summary: 'undoes ignore and resolve',
  argument: ARGUMENT,
  flags: [REASON_FLAG],
  changes: true,
  run: async (call) => triage(call, async (admin, fingerprint, context) => admin.reopenErrorGroup(fingerprint, context)),
};

/** What operators say about error groups. */
export const TRIAGE_VERBS: readonly Verb[] = [annotateVerb, ignoreVerb, resolveVerb, reopenVerb];

type Triage = (admin: Admin, fingerprint: string, context: { readonly actor: string; readonly reason?: string }) => Promise<string>;

async function triage(call: Call, act: Triage): Promise<number> {
  const [fingerprint = ''] = call.args;
  const { admin } = await call.deployment();
  const reason = call.text('reason');
  const outcome = await act(admin, fingerprint, { actor: call.actor, ...defined({ reason }) });
  if (call.show.json) call.show.data({ fingerprint, outcome });
  else if (outcome !== 'not-found') call.show.line(`${plain(fingerprint)}: ${outcome}`);
  if (outcome !== 'not-found') return EXIT.done;
  call.io.err(`No error group ${plain(fingerprint)}.\n`);
  return EXIT.lost;
}
