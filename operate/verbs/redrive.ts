import { defined } from '../../shared/job/defined.ts';
import { dueTime, type Instant, iso } from '../../shared/job/instant.ts';
import type { JobState } from '../../shared/job/job.ts';
import { checkJobId } from '../../shared/job/job-id.ts';
import { checkOptions, checkText } from '../../shared/job/names.ts';
import { jobRef } from '../../shared/ports/journal.ts';
import { redrive as redriveRow, type Redriven } from '../../shared/store/redrive.ts';
import { sendHints } from '../../shared/store/send-hints.ts';
import type { AdminDeps } from '../admin-deps.ts';
import { auditAfter } from '../audit-after.ts';
import { checkedPayload, checkRev } from '../edit-payload.ts';
import type { PatchedPayload } from '../patched-payload.ts';
import { leaveErrorGroup } from '../../shared/features/error-groups/admin/leave-error-group.ts';
import { checkTries } from './check-tries.ts';
import { ofTenant } from './of-tenant.ts';
import type { JobVerb } from './verb.ts';
import { plural } from '../../shared/job/plural.ts';

/** Options of a redrive. Without any, the job is due now and has the number of tries of its policy. */
export interface RedriveOptions {
  /** Number of tries, instead of that of the policy. */
  readonly retries?: number;
  /** When the job is due. Default: now. */
  readonly at?: Instant;
  /** A new payload, as for `editPayload`, in the same transaction. Group and unique key stay. */
  readonly payload?: unknown;
  /** The `rev` that you saw. A dead letter that has changed since is left alone, and the answer is `changed`. */
  readonly rev?: number;
  /** The actor in the audit. */
  readonly actor?: string;
  /** Why, for the audit. */
  readonly reason?: string;
}

/** What became of a dead letter; only `redriven` wrote. */
export type RedriveOutcome = Redriven['outcome'];

/** The verb for one job. */
export interface RedriveVerb {
  /** Makes a dead letter ready again, or waiting until `at`, with fresh counters. Otherwise the outcome is the reason. */
  redrive(id: string, options?: RedriveOptions): Promise<RedriveOutcome>;
}

/** What to do to each job in bulk. */
export interface RedriveAction {
  readonly verb: 'redrive';
  readonly retries?: number;
  readonly at?: Instant;
}

const done = ['redriven'] as const;

/** What a dead letter answers that was redriven before. */
export const REDRIVEN: readonly string[] = ['not-found', 'waiting', 'parked', 'ready', 'running', 'suspended', 'finished', 'changed'];

/** The same for a verb that redrives dead letters and changes other jobs where they are, which ends in `others` for those. */
export function redrivenOr(others: readonly string[], states: readonly JobState[]): readonly string[] {
  if (!states.includes('dead')) return others;
  return states.length === 1 ? REDRIVEN : [...others, 'waiting', 'ready'];
}

/** Makes dead letters ready again. */
export const redrive: JobVerb<RedriveAction, RedriveVerb> = {
  name: 'redrive',
  method: 'redrive',
  acts: ['dead'],
  arguments: [
    {
      field: 'retries',
      kind: 'whole',
      flag: { flags: '--retries <n>', doc: 'tries that it gets; default: those of its policy' },
      asked: {
        one: { name: 'retries', label: 'Tries', kind: 'number', hint: 'Empty: as its policy says.' },
        many: { name: 'retries', label: 'Tries', kind: 'number', hint: "Empty: what each job's policy says." },
      },
    },
    {
      field: 'at',
      kind: 'instant',
      flag: { flags: '--at <time>', doc: 'due then: 2h is in two hours; default now' },
      asked: {
        one: { name: 'at', label: 'Due', hint: 'An instant such as 2026-01-31T12:00:00Z, or from now such as 30m. Empty: now.' },
        many: { name: 'at', hint: 'An instant such as 2026-01-31T12:00:00Z, or from now such as 30m. Empty: now.', label: 'Due' },
      },
    },
  ],
  context: 'optional',
  done,
  repeated: () => REDRIVEN,
  canary: { startsAt: ({ at }) => (at === undefined ? undefined : Date.parse(String(at))) },
  command: {
    summary: 'makes dead letters ready again, or waiting if they are due beyond delayHorizon, with fresh counters',
    past: 'redriven',
    of: { 'dead-letters': 10 },
    refuses: true,
    inBulk: 'with-a-reason',
  },
  button: {
    action: 'redrive',
    place: 10,
    label: 'Redrive',
    doing: 'redriving',
    confirm: 'It goes back to its queue with fresh counters.',
  },
  check(action, now) {
    if (action.retries !== undefined) checkTries(action.retries, 'retries');
    return { ...action, ...(action.at === undefined ? {} : { at: iso(dueTime({ runAt: action.at }, now)) }) };
  },
  methods: (deps, tenant) => ({
    redrive: async (id, options) =>
      ofTenant(deps, { id, tenant }, async () => {
        const detail = options?.payload === undefined ? undefined : 'with another payload';
        const context = defined({ actor: options?.actor, reason: options?.reason, detail });
        return auditAfter(deps, { method: 'redrive', done, id, context }, redriveJob(deps, id, options));
      }),
  }),
  act: async (on, id, { verb: _verb, ...options }, context) => on.redrive(id, { ...options, ...context }),
  says: (_, { at }, words) =>
    at === undefined
      ? 'Redriven: it is back in its queue with fresh counters.'
      : `Redriven: it waits until ${words(at)}, with fresh counters.`,
  title: ({ retries }) => (retries === undefined ? '' : ` with ${retries} ${plural(retries, 'try', 'tries')}`),
};

/** Refuses options that redrive does not have, and an actor or a reason that is no text. */
export function checkRedrive(options: RedriveOptions): void {
  checkOptions(options, ['retries', 'at', 'payload', 'rev', 'actor', 'reason'], 'options');
  checkText(options.actor, 'actor');
  checkText(options.reason, 'reason');
}

/**
 * Makes a dead letter ready, or waiting until its due time, with fresh counters. `edit` is a payload that was checked. The caller writes the
 * audit entry.
 */
export async function redriveJob(
  deps: AdminDeps,
  id: string,
  options: RedriveOptions = {},
  edit?: PatchedPayload,
): Promise<RedriveOutcome> {
  checkRedrive(options);
  const { retries, at, payload, rev } = options;
  const now = deps.clock.now();
  const { redispatchAfterMs, delayHorizonMs } = deps.deployment.settings;
  const result = await redriveRow(deps.tables, checkJobId(id), {
    token: deps.entropy.token(),
    now,
    redispatchAfterMs,
    delayHorizonMs,
    workers: deps.deployment.workers,
    ...(retries === undefined ? {} : { tries: checkTries(retries, 'retries') }),
    ...(at === undefined ? {} : { dueAt: dueTime({ runAt: at }, now) }),
    ...(edit ?? (payload === undefined ? {} : await checkedPayload(deps, id, payload))),
    ...(rev === undefined ? {} : { rev: checkRev(rev) }),
  });
  if (result.outcome !== 'redriven') return result.outcome;
  deps.journal.record({ event: 'redriven', worker: result.job.worker, job: jobRef(result.job) });
  if (result.ready) await sendHints(deps, [result.ready], now);
  await leaveErrorGroup(deps, { id, fingerprint: result.fingerprint }, 'redriven');
  return 'redriven';
}

const MAX_LOOKS = 5;

/** Redrives a job that a change finds dead. Retries if another operator redrives it first, because then it is no longer dead. */
export async function orRedrive<Outcome>(
  change: () => Promise<Outcome | 'dead'>,
  redriveIt: () => Promise<Outcome | RedriveOutcome>,
): Promise<Outcome | RedriveOutcome> {
  for (let look = 1; ; look++) {
    const outcome = await change();
    if (outcome !== 'dead') return outcome;
    const redriven = await redriveIt();
    const faster = redriven === 'not-found' || redriven === 'changed';
    if (!faster) return redriven;
    if (look === MAX_LOOKS) return 'changed';
  }
}
