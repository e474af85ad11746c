import { defined } from '../../shared/job/defined.ts';
import { storedInstant } from '../../shared/job/instant.ts';
import { checkJobId } from '../../shared/job/job-id.ts';
import { checkPatch, type MergePatch } from '../../shared/job/merge-patch.ts';
import { checkFlag, checkOptions } from '../../shared/job/names.ts';
import { plural } from '../../shared/job/plural.ts';
import { isQuarantined, planPayload } from '../../shared/store/edit-job.ts';
import { locate, type Located } from '../../shared/store/locate.ts';
import type { ResumeTerms } from '../../shared/store/ready-row.ts';
import { actorOf, type AuditContext } from '../../shared/operator/act.ts';
import type { AdminDeps } from '../admin-deps.ts';
import { auditAfter } from '../audit-after.ts';
import { ENCODED } from '../coded-payload.ts';
import { changeJob, type OperatorVerb, requeuedEvent } from '../change-job.ts';
import { patchedJson, patchedPayload, type Unpatchable } from '../patched-payload.ts';
import { orRedrive, REDRIVEN, redriveJob, type RedriveOutcome } from './redrive.ts';
import type { JobVerb, NotDone } from './verb.ts';

/**
 * What became of `patchPayload`: `patched` wrote, or found the payload like that already; `redriven` wrote. `unreadable`: a dead letter that
 * holds a damaged row. `key-taken`: another job holds the unique key of a dead letter.
 */
export type PatchOutcome = 'patched' | Unpatchable | RedriveOutcome | NotDone;

/** Options of a patch, besides `actor` and `reason`. */
export interface PatchOptions extends AuditContext {
  /** Redrives a dead letter in the same transaction. Default: it stays one. */
  readonly redrive?: boolean;
}

/** The verb for one job. */
export interface PatchVerb {
  /**
   * Changes fields of the payload of a job that does not run: a JSON merge patch (RFC 7396), in which `null` removes a field. Where the session
   * knows the type, an older payload is lifted first, and the result is checked against the schema. Otherwise as `editPayload`.
   */
  patchPayload(id: string, patch: MergePatch, options?: PatchOptions): Promise<PatchOutcome>;
}

/** What to do to each job in bulk. */
export interface PatchAction {
  readonly verb: 'patch';
  readonly patch: MergePatch;
  readonly redrive?: boolean;
}

const REFUSALS: Readonly<Record<Unpatchable, string>> = {
  'newer-version': 'Its payload has a newer version than the job type of this session: nothing was changed.',
  encoded: ENCODED,
  'no-object': 'Its payload is no JSON object, and a patch would replace it as a whole: nothing was changed.',
};

/** Changes fields of payloads. */
export const patch: JobVerb<PatchAction, PatchVerb> = {
  name: 'patch',
  method: 'patchPayload',
  acts: ['waiting', 'parked', 'suspended', 'ready', 'dead'],
  arguments: [
    {
      field: 'patch',
      kind: 'json',
      required: true,
      flag: { flags: '--patch <json>', doc: 'fields with their new values, null removes one: JSON, @file, or - for the standard input' },
      asked: {
        one: { name: 'patch', label: 'Patch', kind: 'long', required: true, hint: 'JSON of the fields that change; null removes one.' },
        many: { name: 'patch', label: 'Patch', kind: 'long', required: true, hint: 'JSON of the fields that change; null removes one.' },
      },
      sample: '{"any":null}',
    },
    {
      field: 'redrive',
      kind: 'flag',
      flag: { flags: '--redrive', doc: 'redrives dead letters with it' },
      asked: {
        one: { name: 'redrive', label: 'Redrive it if it is a dead letter', kind: 'flag' },
        many: { name: 'redrive', label: 'Redrive dead letters', kind: 'flag' },
      },
    },
  ],
  context: 'optional',
  done: ['patched', 'redriven'],
  repeated({ redrive }, states) {
    if (redrive === true && states.includes('dead')) return REDRIVEN;
    // Without a redrive it moves parked jobs only.
    return ['running', 'finished', 'not-found', 'changed', ...(states.includes('parked') ? ['ready'] : [])];
  },
  refusals: REFUSALS,
  canary: {
    canTell: ({ failedAt, cause, dueAt }, { now, withinMs, action }) =>
      failedAt === undefined ? cause === undefined && (storedInstant(dueAt) ?? 0) <= now + withinMs : action.redrive === true,
  },
  command: {
    summary: 'changes fields of the payloads of jobs that are not running',
    past: 'patched',
    of: { jobs: 83, 'dead-letters': 15 },
  },
  button: { action: 'patch-payload', place: 75, label: 'Patch payload', doing: 'patching the payloads of' },
  check: ({ verb, patch: given, redrive }) => ({
    verb,
    patch: checkPatch(given),
    ...(checkFlag(redrive, 'redrive') === true ? { redrive: true } : {}),
  }),
  methods: (deps, tenant) => ({
    async patchPayload(id, given, options = {}) {
      const checked = checkPatch(given);
      checkOptions(options, ['actor', 'reason', 'redrive'], 'options');
      const { redrive, ...context } = options;
      const verb: OperatorVerb = {
        name: 'patchPayload',
        id,
        context,
        detail: sizeOf(checked),
        event: requeuedEvent('patchPayload'),
        ...defined({ tenant }),
      };
      if (checkFlag(redrive, 'redrive') !== true) return patchJob(deps, verb, checked);
      return orRedrive(
        async () => patchJob(deps, verb, checked, leaveDead),
        async () => redrivePatched(deps, verb, checked),
      );
    },
  }),
  act: async (on, id, { verb: _verb, patch: given, ...options }, context) => on.patchPayload(id, given, { ...options, ...context }),
  async preview(deps, found, { patch: given }) {
    if (found.state === 'finished' || isQuarantined(found)) return { problem: 'Its row cannot be read.' };
    const json = await patchedJson(deps, found.job, given);
    if (typeof json !== 'string') return json;
    return { ...(json === 'encoded' ? {} : { before: found.job.payload }), problem: REFUSALS[json] };
  },
  says: (outcome) => (outcome === 'redriven' ? 'Redriven with the patched payload.' : 'The payload was patched.'),
  title: ({ patch: given }) => `: ${sizeOf(given)}`,
};

/** How much a patch changes, without what it holds: names of fields may be data too. */
function sizeOf(given: MergePatch): string {
  const fields = Object.keys(given).length;
  return `${fields} ${plural(fields, 'field')}`;
}

type Plan = Parameters<typeof changeJob<Exclude<PatchOutcome, 'not-found'>>>[2];
type Planned = ReturnType<Plan>;

const leave = (outcome: Exclude<PatchOutcome, 'not-found'>): Awaited<Planned> => ({ writes: [], answer: { outcome } });

/** A dead letter that can be redriven is left for that. */
const leaveDead = (found: Located): Planned | undefined => (found.state === 'dead' && !isQuarantined(found) ? leave('dead') : undefined);

async function patchJob(
  deps: AdminDeps,
  verb: OperatorVerb,
  given: MergePatch,
  unless: (found: Located) => Planned | undefined = () => undefined,
): Promise<PatchOutcome> {
  return changeJob(deps, verb, async (found, terms) => unless(found) ?? planPatch(deps, found, given, terms));
}

async function planPatch(deps: AdminDeps, found: Located, given: MergePatch, terms: ResumeTerms): Promise<Awaited<Planned>> {
  const { state, job } = found;
  if (state === 'running' || state === 'finished') return leave(state);
  if (isQuarantined(found)) return leave('unreadable');
  const edit = await patchedPayload(deps, job, given);
  if (typeof edit === 'string') return leave(edit);
  const { payload, schemaVersion = job.schemaVersion } = edit;
  if (payload === job.payload && schemaVersion === job.schemaVersion) return leave('patched');
  const { writes, answer } = planPayload(found, edit, terms);
  const { outcome, job: ready } = answer;
  return { writes, answer: { outcome: outcome === 'edited' ? 'patched' : outcome, ...defined({ job: ready }) } };
}

/** `not-found` or `changed` if another operator was faster: then it is looked at again. */
async function redrivePatched(
  deps: AdminDeps,
  { name: method, id, context, detail }: OperatorVerb,
  given: MergePatch,
): Promise<PatchOutcome> {
  const found = await locate(deps.tables, checkJobId(id));
  if (found?.state !== 'dead') return 'not-found';
  const edit = await patchedPayload(deps, found.job, given);
  if (typeof edit === 'string') return edit;
  const audit = { ...defined({ reason: context.reason }), actor: actorOf(deps, context.actor), detail: `${detail}, redriven` };
  return auditAfter(
    deps,
    { method, done: ['redriven'], id, context: audit },
    redriveJob(deps, id, { ...context, rev: found.job.rev }, edit),
  );
}
