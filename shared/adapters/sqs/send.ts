import { SendMessageBatchCommand, type SendMessageBatchRequestEntry } from '@aws-sdk/client-sqs';
import { backOff, chunks } from '../aws/backoff.ts';
import { isPassing, isThrottle } from '../aws/call-failure.ts';
import { type PendingRequest, TurnGroup } from '../batching/turn-group.ts';
import { defined } from '../../job/defined.ts';
import { mapLimited } from '../../job/map-limited.ts';
import { encodeHint, type Hint } from '../../job/hint.ts';
import { routeHint } from '../../job/hint-route.ts';
import type { HintSender } from '../../ports/hints.ts';
import { call, type SqsDeps } from './caller.ts';

const BATCH_MESSAGES = 10;
const PARALLEL_BATCHES = 16;
const TRIES = 3;
const BASE_MS = 100;
// By then the SDK has tried several times, each for some seconds. The sweeper sends the rest.
const TRY_AGAIN_WITHIN_MS = 3_000;

interface Outgoing {
  readonly hint: Hint;
  readonly url: string;
  readonly entry: Omit<SendMessageBatchRequestEntry, 'Id'>;
}

/**
 * Sends hints in batches of ten per queue, all queues side by side; those that several callers send in one turn of the event loop share
 * them. Never throws; gives back the hints that were not taken.
 */
export function createSender(deps: SqsDeps): HintSender['send'] {
  const { afterTurn } = deps;
  const turn = afterTurn && new TurnGroup<Outgoing, boolean>(afterTurn, (group) => void sendTogether(deps, group));
  return async (hints) => {
    const routed = hints.map((hint) => ({ hint, outgoing: route(deps, hint) }));
    const outgoing = routed.flatMap((one) => one.outgoing ?? []);
    const left = turn === undefined ? await sendAll(deps, outgoing) : await leftOf(turn, outgoing);
    return [...routed.filter((one) => one.outgoing === undefined), ...left].map(({ hint }) => hint);
  };
}

/** Each caller waits for the batches that its own hints are in. */
async function leftOf(turn: TurnGroup<Outgoing, boolean>, outgoing: readonly Outgoing[]): Promise<readonly Outgoing[]> {
  const taken = await Promise.all(outgoing.map((one) => turn.join(one)));
  return outgoing.filter((_, at) => taken[at] === false);
}

async function sendTogether(deps: SqsDeps, group: readonly PendingRequest<Outgoing, boolean>[]): Promise<void> {
  await mapLimited(
    batchesOf(group, ({ request }) => request.url),
    PARALLEL_BATCHES,
    async (batch) => {
      const left = new Set(
        await sendBatch(
          deps,
          batch.map(({ request }) => request),
        ),
      );
      for (const { request, resolve } of batch) resolve(!left.has(request));
    },
  );
}

async function sendAll(deps: SqsDeps, outgoing: readonly Outgoing[]): Promise<readonly Outgoing[]> {
  const left = await mapLimited(
    batchesOf(outgoing, ({ url }) => url),
    PARALLEL_BATCHES,
    (batch) => sendBatch(deps, batch),
  );
  return left.flat();
}

/** What goes to one queue, ten at a time. */
function batchesOf<One>(all: readonly One[], urlOf: (one: One) => string): readonly (readonly One[])[] {
  return [...Map.groupBy(all, urlOf).values()].flatMap((some) => chunks(some, BATCH_MESSAGES));
}

function route(deps: SqsDeps, hint: Hint): Outgoing | undefined {
  const queues = deps.workers.get(hint.worker);
  const to = routeHint(hint, queues);
  const url = to === undefined ? undefined : to.kind === 'fifo' ? queues?.fifo : queues?.lanes[to.lane];
  if (to === undefined || url === undefined) return undefined;
  const MessageBody = encodeHint(hint, to.forward);
  if (to.kind === 'fifo') {
    // `n` grows with every write that makes a job ready, so only a true duplicate is dropped.
    return { hint, url, entry: { MessageBody, MessageGroupId: hint.groupHash, MessageDeduplicationId: `${hint.id}#${hint.n}` } };
  }
  return {
    hint,
    url,
    entry: {
      MessageBody,
      ...(to.delaySeconds === 0 ? {} : { DelaySeconds: to.delaySeconds }),
      ...defined({ MessageGroupId: hint.tenantHash }),
    },
  };
}

/** One batch to one queue; the SDK resolves even when every entry failed, so the failed ones are looked at. */
async function sendBatch(deps: SqsDeps, batch: readonly Outgoing[]): Promise<readonly Outgoing[]> {
  const lost: Outgoing[] = [];
  let left = batch;
  const latest = Math.min(deps.clock.now() + TRY_AGAIN_WITHIN_MS, deps.deadlineAt?.() ?? Number.POSITIVE_INFINITY);
  for (let tries = 0; tries < TRIES && left.length > 0; tries += 1) {
    if (tries > 0 && !(await backOff(deps, tries - 1, BASE_MS, latest))) break;
    const { failed, refused } = await sendOnce(deps, left);
    lost.push(...refused);
    left = failed;
  }
  return [...lost, ...left];
}

interface Unsent {
  /** Worth another try. */
  readonly failed: readonly Outgoing[];
  readonly refused: readonly Outgoing[];
}

async function sendOnce(deps: SqsDeps, batch: readonly Outgoing[]): Promise<Unsent> {
  try {
    const Entries = batch.map(({ entry }, index) => ({ ...entry, Id: String(index) }));
    const { Successful = [], Failed = [] } = await call(deps, new SendMessageBatchCommand({ QueueUrl: batch[0]?.url, Entries }));
    const taken = new Set(Successful.map(({ Id }) => Id));
    const refused = new Set(Failed.flatMap(({ Id, Code, SenderFault }) => (SenderFault === true && !isThrottle(Code) ? [Id] : [])));
    const unsent = batch.map((outgoing, index) => ({ outgoing, id: String(index) })).filter(({ id }) => !taken.has(id));
    return {
      // An entry in neither list counts as not taken.
      failed: unsent.filter(({ id }) => !refused.has(id)).map(({ outgoing }) => outgoing),
      refused: unsent.filter(({ id }) => refused.has(id)).map(({ outgoing }) => outgoing),
    };
  } catch (error) {
    return isPassing(error) ? { failed: batch, refused: [] } : { failed: [], refused: batch };
  }
}
