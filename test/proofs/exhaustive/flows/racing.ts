import type { Actor } from '../../../../shared/job/transitions.ts';
import type { Flow, Stage } from '../flow.ts';
import { FIFO, STANDARD } from '../scripted-world.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** By how much the second one comes later, so that requests interleave in every way; a request takes 4 ms. */
const HEAD_STARTS_MS = [0, 5, 9];

interface Race {
  readonly observed: readonly Actor[];
  readonly before: (stage: Stage) => Promise<string>;
  readonly first: (stage: Stage, id: string) => unknown;
  readonly second: (stage: Stage, id: string) => unknown;
  readonly more?: Partial<Flow>;
}

function racing(name: string, { observed, before, first, second, more }: Race): readonly Flow[] {
  return HEAD_STARTS_MS.map((headStart) => ({
    name: `${name}+${headStart}`,
    observed,
    race: true,
    async script(stage) {
      stage.source.on = false;
      const id = await before(stage);
      stage.observe();
      first(stage, id);
      stage.world.time.after(headStart, () => void second(stage, id));
      await stage.pass(SECOND);
    },
    ...more,
  }));
}

const ready = async (stage: Stage): Promise<string> => String(await stage.enqueue('usual', {}));
const dueTimer = async (stage: Stage): Promise<string> => {
  const id = await stage.enqueue('usual', {}, { delay: HOUR });
  await stage.pass(HOUR - 4 * MINUTE);
  return String(id);
};
const expired = async (stage: Stage): Promise<string> => {
  const id = await ready(stage);
  await stage.pass(7 * MINUTE);
  return id;
};
const duplicated = (group?: string) => async (stage: Stage) => {
  const id = String(await stage.enqueue('usual', group === undefined ? {} : { group }));
  stage.world.queues.inject(STANDARD, JSON.stringify({ v: 1, id, n: 1 }));
  return id;
};
const neighbours = async (stage: Stage): Promise<string> => {
  const id = String(await stage.enqueue('usual', { group: 'g', workMs: 2 * SECOND }));
  const other = String(await stage.enqueue('elsewhere', { group: 'g', workMs: 2 * SECOND }));
  return `${id}/${other}`;
};

const acquire = (stage: Stage): unknown => stage.acquire();
const sweep = (stage: Stage): unknown => stage.sandboxes.sweep();
/** A client that is not awaited. */
const cancel = (stage: Stage, id: string): unknown =>
  stage.world
    .client(stage.world.process('client', 'canceller'))
    .cancel(id)
    .catch(() => {});
const reschedule = (stage: Stage, id: string): unknown =>
  stage.world
    .client(stage.world.process('client', 'rescheduler'))
    .reschedule(id, { delay: 2 * HOUR })
    .catch(() => {});
/** The next message of the queue, to an executor of its own. */
const receiveOne = (queue: typeof FIFO) => (stage: Stage) => {
  const messages = stage.world.queues.receive(queue, 1);
  if (messages.length === 0) return;
  void stage.sandboxes.execute(queue.worker, messages).then((back) => {
    if (back !== undefined) stage.world.queues.acknowledge(messages.filter(({ messageId }) => !back.includes(messageId)));
  });
};

/** Two that meet at one job. */
export const RACING: readonly Flow[] = [
  ...racing('two-executors', { observed: ['executor'], before: duplicated(), first: receiveOne(STANDARD), second: receiveOne(STANDARD) }),
  ...racing('two-workers-and-a-group', {
    observed: ['executor'],
    before: neighbours,
    first: receiveOne(FIFO),
    second: receiveOne({ ...FIFO, worker: 'other' }),
  }),
  ...racing('two-acquirers', { observed: ['acquirer'], before: dueTimer, first: acquire, second: acquire }),
  ...racing('acquirer-and-cancel', { observed: ['acquirer', 'client'], before: dueTimer, first: acquire, second: cancel }),
  ...racing('cancel-and-acquirer', { observed: ['acquirer', 'client'], before: dueTimer, first: cancel, second: acquire }),
  ...racing('acquirer-and-reschedule', { observed: ['acquirer', 'client'], before: dueTimer, first: acquire, second: reschedule }),
  ...racing('executor-and-cancel', { observed: ['executor', 'client'], before: ready, first: receiveOne(STANDARD), second: cancel }),
  ...racing('cancel-and-executor', { observed: ['executor', 'client'], before: ready, first: cancel, second: receiveOne(STANDARD) }),
  ...racing('executor-and-reschedule', {
    observed: ['executor', 'client'],
    before: ready,
    first: receiveOne(STANDARD),
    second: reschedule,
  }),
  ...racing('sweeper-and-executor', { observed: ['sweeper', 'executor'], before: expired, first: sweep, second: receiveOne(STANDARD) }),
  ...racing('executor-and-sweeper', { observed: ['sweeper', 'executor'], before: expired, first: receiveOne(STANDARD), second: sweep }),
  ...racing('two-sweepers', { observed: ['sweeper'], before: expired, first: sweep, second: sweep }),
];
