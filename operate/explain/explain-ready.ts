import { defined } from '../../shared/job/defined.ts';
import { iso } from '../../shared/job/instant.ts';
import { lockGroup } from '../../shared/job/hint.ts';
import { EXPLAINED_PATIENCES } from '../../shared/job/lease.ts';
import { redispatchesOf, waitsAlone } from '../../shared/job/lock-owner.ts';
import { isOccurrence, type LeasedJob } from '../../shared/job/job.ts';
import { releasedFrom } from '../../shared/job/rate-bookings.ts';
import { knownSince, type ReportedWorker } from '../../shared/features/workers/store/worker-rows.ts';
import { stopOf, whyLater } from './explain-waiting.ts';
import type { FactsIn, ExplanationDraft } from './facts.ts';
import { counted, operatorsWord, sweptAfter } from './sentences.ts';

type Ready = FactsIn<'jobs'>;
type Overlap = Extract<Ready['schedule'], object>['definition']['overlap'];
const VERBS = ['runNow', 'setPriority', 'breakpoint', 'cancel'];

/** Explains a job that waits in its queue: what blocks it, and what resends its message if it is lost. */
export function explainReady(facts: Ready, now: number): ExplanationDraft {
  const { job } = facts.located;
  const told = facts.workerKnown && job.dueAt > now ? notDue(facts, now) : dueNow(facts, now);
  return {
    ...told,
    sentences: [...told.sentences, ...notes(facts, now), ...operatorsWord(job)],
    facts: {
      dueAt: iso(job.dueAt),
      lockOwner: job.lockOwner,
      lockExpiresAt: iso(job.lockExpiresAt),
      backlog: facts.backlog,
      sweeperAt: facts.sweeper?.at === undefined ? undefined : iso(facts.sweeper.at),
      ...told.facts,
    },
  };
}

/** Its message is delayed. What the sweeper does then concerns only a message that is lost. */
function notDue(facts: Ready, now: number): ExplanationDraft {
  const { job } = facts.located;
  const why = whyLater(facts, job, now);
  const stop = stopOf(facts, job, now);
  const again = sweptAfter(job.lockExpiresAt, facts, now);
  return {
    code: stop?.code ?? why.code,
    sentences: [
      why.text,
      `Its message is on its way and comes to an executor then. Were it lost, the sweeper would send another ${again.when}.`,
      ...(again.late === undefined ? [] : [again.late]),
      ...(stop === undefined ? [] : [stop.text]),
    ],
    next: nextOf(stop?.code ?? 'in-queue', job.dueAt),
    facts: { ...why.facts, ...stop?.facts },
    verbs: stop?.code === 'held-by-suspension' ? ['resume', ...VERBS] : VERBS,
  };
}

function nextOf(code: ExplanationDraft['code'], at: number): ExplanationDraft['next'] {
  if (code === 'held-by-suspension') return { verb: 'suspend', by: 'executor', at };
  if (code === 'stopped-by-batch') return { verb: 'cancel', by: 'executor', at };
  if (code === 'stopped-by-schedule') return { verb: 'skip', by: 'executor', at };
  return { verb: 'claim', by: 'executor', at };
}

function dueNow(facts: Ready, now: number): ExplanationDraft {
  const { job } = facts.located;
  const stop = stopOf(facts, job, now);
  if (stop?.code === 'worker-gone')
    return {
      code: stop.code,
      sentences: [`It is due at ${iso(job.dueAt)}.`, stop.text],
      next: { verb: 'claim', by: 'operator' },
      verbs: ['move', 'cancel'],
    };
  const wait = behindGroup(facts, now) ?? behindQueue(facts, now);
  if (stop === undefined) return wait;
  const { at: _at, ...next } = nextOf(stop.code, now);
  return {
    code: stop.code,
    sentences: [stop.text, ...wait.sentences],
    next,
    facts: { ...wait.facts, ...stop.facts },
    verbs: stop.code === 'held-by-suspension' ? ['resume', ...VERBS] : VERBS,
  };
}

function behindGroup(facts: Ready, now: number): ExplanationDraft | undefined {
  const { groupLock } = facts;
  const { job } = facts.located;
  const group = lockGroup(job);
  if (group === undefined || groupLock === undefined || groupLock.until <= now) return undefined;
  const again = sweptAfter(job.lockExpiresAt, facts, now);
  return {
    code: 'behind-its-group',
    sentences: [
      `It is due since ${iso(job.dueAt)} and waits for its exclusive group ${group}, of which only one job runs at a time.`,
      `${groupLock.owner} holds the group until ${iso(groupLock.until)} at the latest, unless it renews that; whatever ends first lets the next one start.`,
      `Its message comes back by itself then; were it lost, the sweeper would send another ${again.when}.`,
      ...(again.late === undefined ? [] : [again.late]),
    ],
    next: { verb: 'claim', by: 'executor' },
    facts: { group, groupOwner: groupLock.owner, groupUntil: iso(groupLock.until) },
    verbs: ['blockedGroups', 'breakpoint', 'cancel'],
  };
}

/** Only its queue is ahead of it. */
function behindQueue(facts: Ready, now: number): ExplanationDraft {
  const { settings, backlog } = facts;
  const { job } = facts.located;
  const { at, when, late } = sweptAfter(job.lockExpiresAt, facts, now);
  const due = `It is due since ${iso(job.dueAt)} and lies in the queue of its worker ${job.worker}${inGroupQueue(facts) ? ', for grouped jobs' : `, lane ${job.lane}`}.`;
  const ranOut = job.lockExpiresAt <= now - settings.sweepSkewMs;
  const full = backlog !== undefined && backlog > (ranOut ? 0 : settings.batchSize);
  const patient = now - job.lockExpiresAt <= EXPLAINED_PATIENCES * settings.backlogPatienceMs;
  if (full && patient) {
    return {
      code: 'behind-a-backlog',
      sentences: [
        due,
        `About ${counted(backlog, 'message')} wait in that queue, its own probably among them: executors do not keep up, or do not run.`,
        `If it is still there at ${iso(job.lockExpiresAt + settings.backlogPatienceMs)} and those messages belong to newer jobs, the sweeper sends its message again; at ${iso(job.lockExpiresAt + EXPLAINED_PATIENCES * settings.backlogPatienceMs)} it does whatever waits.`,
        ...(late === undefined ? [] : [late]),
      ],
      next: { verb: 'claim', by: 'executor' },
      verbs: ['setPriority', 'runNow', 'cancel'],
    };
  }
  if (!ranOut) {
    return {
      code: 'in-queue',
      sentences: [
        due,
        `An executor takes it from there; if none has by ${iso(job.lockExpiresAt)} and no backlog explains it, the sweeper sends its message again.`,
        ...(late === undefined ? [] : [late]),
      ],
      next: { verb: 'claim', by: 'executor' },
      verbs: VERBS,
    };
  }
  return {
    code: late === undefined ? 'hint-lost' : 'sweeper-late',
    sentences: [
      due,
      `No executor took it by ${iso(job.lockExpiresAt)}, so its message is lost, or waits behind others.`,
      late ?? `The sweeper sends it again ${when}, unless messages that wait in its queue explain it then.`,
    ],
    next: { verb: 'reset', by: 'sweeper', ...defined({ at }) },
    verbs: ['runNow', 'breakpoint', 'cancel'],
  };
}

const inGroupQueue = ({ located: { job }, groupQueue }: Ready): boolean => groupQueue && lockGroup(job) !== undefined;

function notes(facts: Ready, now: number): readonly string[] {
  const { turnOf, schedule, workers = [], workerKnown } = facts;
  const { job } = facts.located;
  const again = redispatchesOf(job.lockOwner);
  // One that an operator started waits, whatever the policy.
  const comes = isOccurrence(job) && job.runNow !== true && job.kind === 'timer';
  const overlap = typeof schedule === 'object' && comes ? UNFINISHED[schedule.definition.overlap] : undefined;
  return [
    ...(again === 0 ? [] : [`Its message was sent again ${again === 1 ? 'once' : `${again} times`} already.`]),
    ...(workerKnown && lockGroup(job) !== undefined && !inGroupQueue(facts)
      ? [
          `Worker ${job.worker} has no queue for grouped jobs: a job that finds its group held comes back when the holder's lease ends, which can be minutes after the holder ended. Give the worker groups: true in the construct.`,
        ]
      : []),
    ...(isReleased(job) ? ['It was parked under a limit and its turn has come: a slot is kept for it.'] : []),
    ...(workerKnown && nobodyKnows(workers, job, now)
      ? [
          `No version of worker ${job.worker} that reported within ${FRESH_MINUTES} minutes has a handler for ${handledBy(job)}: it would be suspended until one has.`,
        ]
      : []),
    ...(waitsAlone(job.lockOwner) ? ['It may have killed a process before, so it only runs alone.'] : []),
    ...(overlap === undefined || turnOf === undefined
      ? []
      : [`Its schedule does not overlap: if ${turnOf} is not finished by then, it ${overlap}.`]),
  ];
}

/** What an occurrence does if an earlier one is not finished when it comes. */
const UNFINISHED: Partial<Record<Overlap, string>> = {
  skip: 'ends as skipped',
  queue: 'waits, and starts after those that are earlier',
  'buffer-one': 'waits, or ends as skipped if another one waits already',
  'cancel-other': 'cancels that one, and starts when it has stopped',
};

const FRESH_MINUTES = 10;

/** The type, with the version of its payload if that is beyond the first. */
export function handledBy({ type, schemaVersion, codec }: Pick<LeasedJob, 'type' | 'schemaVersion' | 'codec'>): string {
  const of = [...(schemaVersion > 1 ? [`of version ${schemaVersion}`] : []), ...(codec === undefined ? [] : [`encoded by ${codec}`])];
  return of.length === 0 ? type : `${type} with payloads ${of.join(' ')}`;
}

/** By the workers that reported lately; unknown if none did. */
function nobodyKnows(workers: readonly ReportedWorker[], job: LeasedJob, now: number): boolean {
  const lately = now - FRESH_MINUTES * 60_000;
  const own = workers.filter((one) => one.worker === job.worker && one.lastSeen > lately);
  return own.length > 0 && !knownSince(own, job, lately);
}

/** Its release is noted with its bookings. */
const isReleased = ({ booked, dueAt }: LeasedJob): boolean => releasedFrom(booked, iso(dueAt)) !== undefined;
