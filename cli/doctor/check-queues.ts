import { queueVisibilityMs } from '../../shared/config/deployment-checks.ts';
import type { WorkerQueues } from '../../shared/config/environment.ts';
import type { Settings } from '../../shared/config/settings.ts';
import { mapLimited } from '../../shared/job/map-limited.ts';
import { type Check, type Finding, type Look, unseen } from './check.ts';

type Attributes = Readonly<Record<string, string>>;

/** A queue as the deployment means it. */
export interface QueueMeant {
  readonly worker: string;
  readonly subject: string;
  readonly url: string;
  readonly kind: 'standard' | 'fifo';
  /** A queue for unreadable messages. */
  readonly dead: boolean;
  /** Timeout of the worker's executor where it has one of its own. */
  readonly timeoutMs?: number;
}

const PARALLEL = 8;
const LONGEST_RETENTION_S = 1_209_600;
const nameOf = (url: string): string => url.split('/').at(-1) ?? url;

/** Checks that queues exist, hide messages longer than any lease, have a dead-letter queue, and are FIFO where required. */
export const queuesCheck: Check = {
  name: 'queues',
  run: async ({ deployment, admin, looks }) => {
    // A worker outside Lambda has shorter leases; only reports show which workers are.
    const outside = new Set((await admin.workers().catch(() => [])).flatMap(({ worker, kind }) => (kind === 'outside' ? [worker] : [])));
    const meant = [...deployment.workers].flatMap(([worker, queues]) => queuesOf(worker, queues));
    const found = await mapLimited(meant, PARALLEL, async (queue) =>
      judgeQueue(queue, await looks.queue(queue.url), { settings: deployment.settings, outside: outside.has(queue.worker) }),
    );
    return found.flat();
  },
};

function queuesOf(worker: string, queues: WorkerQueues): readonly QueueMeant[] {
  const { lanes, fifo, deadLetterQueue, fifoDeadLetterQueue, timeoutMs } = queues;
  const own = timeoutMs === undefined ? {} : { timeoutMs };
  const queue = (url: string | undefined, kind: QueueMeant['kind'], dead: boolean): readonly QueueMeant[] =>
    url === undefined ? [] : [{ worker, subject: nameOf(url), url, kind, dead, ...own }];
  return [
    ...Object.values(lanes).flatMap((url) => queue(url, 'standard', false)),
    ...queue(fifo, 'fifo', false),
    ...queue(deadLetterQueue, 'standard', true),
    ...queue(fifoDeadLetterQueue, 'fifo', true),
  ];
}

/** Pure: the findings from a queue's attributes. */
export function judgeQueue(
  queue: QueueMeant,
  look: Look<Attributes>,
  terms: { readonly settings: Settings; readonly outside: boolean },
): readonly Finding[] {
  const what = { check: 'queue', subject: queue.subject };
  const not = unseen(look, what);
  if (not !== undefined || !('saw' in look)) return not === undefined ? [] : [not];
  const faults = [...judgeOrder(queue, look.saw), ...(queue.dead ? judgeDead(look.saw) : judgeSource(queue, look.saw, terms))].map(
    (fault) => ({ ...what, ...fault }),
  );
  return faults.length > 0
    ? faults
    : [{ ...what, status: 'ok', says: queue.dead ? 'empty' : `hides a message for ${look.saw['VisibilityTimeout'] ?? '?'} s` }];
}

type Fault = Omit<Finding, 'check' | 'subject'>;

function judgeOrder({ kind }: QueueMeant, attributes: Attributes): readonly Fault[] {
  const fifo = attributes['FifoQueue'] === 'true';
  if (fifo !== (kind === 'fifo')) {
    return [
      {
        status: 'failed',
        says: fifo ? 'is a FIFO queue, which takes no delays' : 'is not a FIFO queue, so groups have no order',
        fix: 'Deploy the stack again.',
      },
    ];
  }
  const slow = attributes['DeduplicationScope'] !== 'messageGroup' || attributes['FifoThroughputLimit'] !== 'perMessageGroupId';
  if (!fifo || !slow) return [];
  return [
    {
      status: 'failed',
      says: 'is not in high-throughput mode: 300 messages a second for all groups together',
      fix: 'Set DeduplicationScope messageGroup and FifoThroughputLimit perMessageGroupId.',
    },
  ];
}

function judgeDead(attributes: Attributes): readonly Fault[] {
  const waiting = Number(attributes['ApproximateNumberOfMessages'] ?? 0);
  if (waiting > 0) {
    return [
      {
        status: 'warning',
        says: `holds ${waiting} unreadable messages`,
        fix: 'Inspect them, then purge the queue. The jobs are safe: the sweeper sends their hints again.',
      },
    ];
  }
  if (Number(attributes['MessageRetentionPeriod'] ?? LONGEST_RETENTION_S) >= LONGEST_RETENTION_S) return [];
  return [{ status: 'warning', says: 'keeps messages for less than 14 days', fix: 'Set MessageRetentionPeriod to 1209600.' }];
}

function judgeSource(
  queue: QueueMeant,
  attributes: Attributes,
  { settings, outside }: { readonly settings: Settings; readonly outside: boolean },
): readonly Fault[] {
  const faults: Fault[] = [];
  const { timeoutMs: executorTimeoutMs = settings.executorTimeoutMs } = queue;
  const wantedS = Math.ceil(queueVisibilityMs(queue.kind, { ...settings, executorTimeoutMs }, outside) / 1000);
  const visibilityS = Number(attributes['VisibilityTimeout'] ?? 0);
  const leastS = Math.ceil((settings.leaseMarginMs + 10_000) / 1000);
  if (visibilityS <= leastS) {
    faults.push({
      status: 'failed',
      says: `hides a message for ${visibilityS} s, shorter than any lease: a running job is received again`,
      fix: `Set VisibilityTimeout to ${wantedS}.`,
    });
  } else if (visibilityS < wantedS) {
    faults.push({
      status: 'warning',
      says: `hides a message for ${visibilityS} s, but its worker's settings need ${wantedS} s`,
      fix: `This is right only if worker ${queue.worker} runs outside Lambda and has not reported yet; otherwise set VisibilityTimeout to ${wantedS}.`,
    });
  }
  const receives = receiveCount(attributes['RedrivePolicy']);
  if (receives === undefined) {
    faults.push({
      status: 'failed',
      says: 'has no dead-letter queue: an unreadable message is received again until it expires',
      fix: 'Deploy the stack again.',
    });
  } else if (receives < 5) {
    faults.push({
      status: 'failed',
      says: `moves a message to the dead-letter queue after ${receives} receives, but a busy job may be received more often`,
      fix: `Set maxReceiveCount to ${settings.maxReceiveCount}.`,
    });
  }
  return faults;
}

function receiveCount(policy: string | undefined): number | undefined {
  try {
    const { deadLetterTargetArn, maxReceiveCount } = JSON.parse(policy ?? 'null') as Partial<Record<string, unknown>>;
    return typeof deadLetterTargetArn === 'string' ? Number(maxReceiveCount) : undefined;
  } catch {
    return undefined;
  }
}
