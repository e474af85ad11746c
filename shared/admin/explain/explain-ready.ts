import { iso } from '../../core/instant.ts';
import { lockGroup } from '../../core/hint.ts';
import { redispatchesOf, waitsAlone } from '../../core/lock-owner.ts';
import { isOccurrence } from '../../core/schedule/schedule.ts';
import { stopOf, whyLater } from './explain-waiting.ts';
import type { FactsIn, Told } from './facts.ts';
import { counted, lateBeat, operatorsWord, sweptBy } from './sentences.ts';

type Ready = FactsIn<'jobs'>;
const VERBS = ['runNow', 'setPriority', 'breakpoint', 'cancel'];

/** Explains a job that waits in its queue: what stands before it, and who sends its message again if that is lost. */
export function explainReady(facts: Ready, now: number): Told {
  const { job } = facts.located;
  const told = facts.workerKnown && job.dueAt > now ? notDue(facts, now) : dueNow(facts, now);
  return {
    ...told,
    sentences: [...told.sentences, ...notes(facts), ...operatorsWord(job)],
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
function notDue(facts: Ready, now: number): Told {
  const { job } = facts.located;
  const why = whyLater(facts, job, now);
  const stop = stopOf(facts, job, now);
  const again = sweptBy(job.lockExpiresAt, facts.settings, now);
  return {
    code: stop?.code ?? why.code,
    sentences: [
      why.text,
      `Its message is on its way and comes to an executor then. Were it lost, the sweeper would send another at the latest at ${iso(again)}.`,
      ...(stop === undefined ? [] : [stop.text]),
    ],
    next: nextOf(stop?.code ?? 'in-queue', job.dueAt),
    facts: { ...why.facts, ...stop?.facts },
    verbs: stop?.code === 'held-by-suspension' ? ['activate', ...VERBS] : VERBS,
  };
}

function nextOf(code: Told['code'], at: number): Told['next'] {
  if (code === 'held-by-suspension') return { verb: 'suspend', by: 'executor', at };
  if (code === 'stopped-by-batch') return { verb: 'cancel', by: 'executor', at };
  if (code === 'stopped-by-schedule') return { verb: 'skip', by: 'executor', at };
  return { verb: 'claim', by: 'executor', at };
}

function dueNow(facts: Ready, now: number): Told {
  const { job } = facts.located;
  const stop = stopOf(facts, job, now);
  if (stop?.code === 'worker-gone')
    return {
      code: stop.code,
      sentences: [`It is due since ${iso(job.dueAt)}.`, stop.text],
      next: { verb: 'claim', by: 'operator' },
      verbs: ['cancel'],
    };
  const wait = behindGroup(facts, now) ?? behindQueue(facts, now);
  if (stop === undefined) return wait;
  const { at: _at, ...next } = nextOf(stop.code, now);
  return {
    code: stop.code,
    sentences: [stop.text, ...wait.sentences],
    next,
    facts: { ...wait.facts, ...stop.facts },
    verbs: stop.code === 'held-by-suspension' ? ['activate', ...VERBS] : VERBS,
  };
}

function behindGroup({ located: { job }, groupLock, settings }: Ready, now: number): Told | undefined {
  const group = lockGroup(job);
  if (group === undefined || groupLock === undefined || groupLock.until <= now) return undefined;
  return {
    code: 'behind-its-group',
    sentences: [
      `It is due since ${iso(job.dueAt)} and waits for its exclusive group ${group}, of which only one job runs at a time.`,
      `${groupLock.owner} holds the group until ${iso(groupLock.until)} at the latest, unless it renews that; whatever ends first lets the next one start.`,
      `Its message comes back by itself then; were it lost, the sweeper would send another at the latest at ${iso(sweptBy(job.lockExpiresAt, settings, now))}.`,
    ],
    next: { verb: 'claim', by: 'executor' },
    facts: { group, groupOwner: groupLock.owner, groupUntil: iso(groupLock.until) },
    verbs: ['blockedGroups', 'breakpoint', 'cancel'],
  };
}

/** Nothing but its queue stands before it. */
function behindQueue(facts: Ready, now: number): Told {
  const { settings, backlog, sweeper } = facts;
  const { job } = facts.located;
  const due = `It is due since ${iso(job.dueAt)} and lies in the queue of its worker ${job.worker}${lockGroup(job) === undefined ? `, lane ${job.lane}` : ', for grouped jobs'}.`;
  const ranOut = job.lockExpiresAt <= now - settings.sweepSkewMs;
  const full = backlog !== undefined && backlog > (ranOut ? 0 : settings.batchSize);
  const patient = now - job.lockExpiresAt <= settings.backlogPatienceMs;
  if (full && patient) {
    return {
      code: 'behind-a-backlog',
      sentences: [
        due,
        `About ${counted(backlog, 'message')} wait in that queue, its own among them as far as anybody can know: executors do not keep up, or do not run.`,
        `If it is still there at ${iso(job.lockExpiresAt + settings.backlogPatienceMs)}, the sweeper sends its message again whatever waits.`,
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
      ],
      next: { verb: 'claim', by: 'executor' },
      verbs: VERBS,
    };
  }
  const late = lateBeat('sweeper', sweeper, settings, now);
  const by = sweptBy(job.lockExpiresAt, settings, now);
  return {
    code: late === undefined ? 'hint-lost' : 'sweeper-late',
    sentences: [
      due,
      `No executor took it by ${iso(job.lockExpiresAt)}, so its message is lost, or waits behind others.`,
      late ?? `The sweeper sends it again at the latest at ${iso(by)}.`,
    ],
    next: { verb: 'reset', by: 'sweeper', ...(late === undefined ? { at: by } : {}) },
    verbs: ['runNow', 'breakpoint', 'cancel'],
  };
}

function notes({ located: { job }, turnOf, schedule, sweeper, settings }: Ready): readonly string[] {
  const again = redispatchesOf(job.lockOwner);
  const passed = Number(sweeper?.report['passedSegments'] ?? settings.sweepSegments);
  const skips = typeof schedule === 'object' && schedule.definition.overlap === 'skip' && isOccurrence(job);
  return [
    ...(again === 0 ? [] : [`Its message was sent again ${again === 1 ? 'once' : `${again} times`} already.`]),
    ...(waitsAlone(job.lockOwner) ? ['It may have killed a process before, so it starts only with nothing beside it.'] : []),
    ...(skips && turnOf !== undefined ? [`Its schedule does not overlap: if ${turnOf} is not finished by then, it ends as skipped.`] : []),
    ...(passed < settings.sweepSegments
      ? [
          `The sweeper saw ${passed} of ${settings.sweepSegments} segments of Jobs to their end in its last run, so it may need several runs.`,
        ]
      : []),
  ];
}
