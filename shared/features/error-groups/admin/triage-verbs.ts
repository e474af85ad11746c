import { Described, InvalidInputError } from '../../../job/errors.ts';
import { type Instant, instantMs, iso } from '../../../job/instant.ts';
import { utf8Bytes } from '../../../job/size-limits.ts';
import { checkOptions, checkText } from '../../../job/names.ts';
import { recordWrites } from '../../operator-records.ts';
import { type Triage, triageGroup } from '../store/triage-error-group.ts';
import { actOf, actorOf, type AuditContext } from '../../../operator/act.ts';
import type { OperatorDeps } from '../../../operator/operator-deps.ts';

/** What operators say about error groups. None of it touches a dead letter. `not-found`: no group has the fingerprint. */
export interface TriageVerbs {
  /** Sets a note (at most 1,024 bytes) or an owner; `null` removes one, and what is left out stays. */
  annotateErrorGroup(
    fingerprint: string,
    words: { readonly note?: string | null; readonly owner?: string | null },
    context?: AuditContext,
  ): Promise<'annotated' | 'not-found'>;
  /** Hides the group from the open ones until then, even if more jobs die of it. */
  ignoreErrorGroup(fingerprint: string, until: Instant, context?: AuditContext): Promise<'ignored' | 'not-found'>;
  /** Marks the fault as fixed: hides the group until the error recurs. The group is then marked as come back. */
  resolveErrorGroup(fingerprint: string, context?: AuditContext): Promise<'resolved' | 'not-found'>;
  /** Takes back `ignoreErrorGroup` and `resolveErrorGroup`. */
  reopenErrorGroup(fingerprint: string, context?: AuditContext): Promise<'reopened' | 'not-found'>;
}

const NOTE_BYTES = 1_024;

/** Creates the verbs. */
export function triageVerbs(deps: OperatorDeps): TriageVerbs {
  return {
    async annotateErrorGroup(fingerprint, words, context) {
      checkOptions(words, ['note', 'owner'], 'words');
      const given = { note: noteOf(words.note), owner: words.owner === null ? null : checkText(words.owner, 'owner') };
      const named = Object.entries(given).filter(([, value]) => value !== undefined);
      if (named.length === 0) throw new InvalidInputError('words', new Described('{}'), 'Give a note, an owner, or null to remove one.');
      const set = Object.fromEntries(named.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])));
      const remove = named.flatMap(([name, value]) => (value === null ? [name] : []));
      const detail = named.map(([name, value]) => (value === null ? `no ${name}` : name === 'owner' ? `owner ${value}` : name)).join(', ');
      return (await triage(deps, { verb: 'annotateErrorGroup', fingerprint, detail, context }, { set, remove }))
        ? 'annotated'
        : 'not-found';
    },
    async ignoreErrorGroup(fingerprint, until, context) {
      const at = instantMs(until, 'until');
      if (at <= deps.clock.now()) throw new InvalidInputError('until', until, 'Use an instant in the future.');
      const verb = { verb: 'ignoreErrorGroup', fingerprint, detail: `until ${iso(at)}`, context };
      return (await triage(deps, verb, { set: { ignoredUntil: iso(at) }, remove: [] })) ? 'ignored' : 'not-found';
    },
    async resolveErrorGroup(fingerprint, context) {
      const set = { resolvedAt: iso(deps.clock.now()), resolvedBy: actorOf(deps, context?.actor) };
      const verb = { verb: 'resolveErrorGroup', fingerprint, context };
      return (await triage(deps, verb, { set, remove: ['ignoredUntil'] })) ? 'resolved' : 'not-found';
    },
    async reopenErrorGroup(fingerprint, context) {
      const remove = ['ignoredUntil', 'resolvedAt', 'resolvedBy'];
      return (await triage(deps, { verb: 'reopenErrorGroup', fingerprint, context }, { set: {}, remove })) ? 'reopened' : 'not-found';
    },
  };
}

interface Said {
  readonly verb: string;
  readonly fingerprint: string;
  readonly detail?: string;
  readonly context: AuditContext | undefined;
}

async function triage(deps: OperatorDeps, { verb, fingerprint, detail, context }: Said, what: Triage): Promise<boolean> {
  const act = actOf(deps, { verb, scope: `error-group#${fingerprint}`, detail }, context);
  if (typeof fingerprint !== 'string' || fingerprint === '') {
    throw new InvalidInputError('fingerprint', fingerprint, 'Give the `fingerprint` of an error group or a dead letter.');
  }
  const token = deps.entropy.token();
  return triageGroup(deps.tables, fingerprint, what, { audit: recordWrites(act, token), token });
}

/** A note may be longer than a name, and have lines. */
function noteOf(note: unknown): string | null | undefined {
  if (note === undefined || note === null) return note;
  if (typeof note !== 'string' || note.trim() === '' || !note.isWellFormed())
    throw new InvalidInputError('note', note, 'Use a string, or null to remove the note.');
  if (utf8Bytes(note) <= NOTE_BYTES) return note;
  throw new InvalidInputError('note', new Described(`${utf8Bytes(note)} bytes`), `Use at most ${NOTE_BYTES} bytes; link to longer texts.`);
}
