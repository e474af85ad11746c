import { SendMessageBatchCommand, type SendMessageBatchRequestEntry } from '@aws-sdk/client-sqs';
import { backOff, chunks } from '../aws/backoff.ts';
import { isPassing, isThrottle } from '../aws/call-failure.ts';
import { defined } from '../../core/defined.ts';
import { mapLimited } from '../../core/map-limited.ts';
import { encodeHint, type Hint } from '../../core/hint.ts';
import { routeHint } from '../../core/hint-route.ts';
import { call, type SqsDeps } from './caller.ts';

const BATCH_MESSAGES = 10;
const PARALLEL_BATCHES = 16;
const TRIES = 3;
const BASE_MS = 100;
// The SDK has tried several times by then, each for some seconds; the sweeper sends what is left.
const TRY_AGAIN_WITHIN_MS = 3_000;

interface Outgoing {
  readonly hint: Hint;
  readonly url: string;
  readonly entry: Omit<SendMessageBatchRequestEntry, 'Id'>;
}

/** Sends hints in batches of ten per queue, all queues side by side. Never throws; gives back the hints that were not taken. */
export async function sendAll(deps: SqsDeps, hints: readonly Hint[]): Promise<readonly Hint[]> {
  const routed = hints.map((hint) => ({ hint, outgoing: route(deps, hint) }));
  const queues = Map.groupBy(
    routed.flatMap(({ outgoing }) => outgoing ?? []),
    ({ url }) => url,
  );
  const batches = [...queues.values()].flatMap((outgoing) => chunks(outgoing, BATCH_MESSAGES));
  const left = await mapLimited(batches, PARALLEL_BATCHES, (batch) => sendBatch(deps, batch));
  return [...routed.filter(({ outgoing }) => outgoing === undefined), ...left.flat()].map(({ hint }) => hint);
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
      // An entry in neither list was not taken as far as anybody knows.
      failed: unsent.filter(({ id }) => !refused.has(id)).map(({ outgoing }) => outgoing),
      refused: unsent.filter(({ id }) => refused.has(id)).map(({ outgoing }) => outgoing),
    };
  } catch (error) {
    return isPassing(error) ? { failed: batch, refused: [] } : { failed: [], refused: batch };
  }
}
