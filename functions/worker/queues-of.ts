import type { Deployment } from '../../shared/config/environment.ts';
import { InvalidConfigurationError, InvalidInputError } from '../../shared/job/errors.ts';
import { presentName } from '../../shared/job/worker-names.ts';
import type { QueueRef } from '../../shared/ports/hints.ts';

/** The queues of a worker, highest lane first. `lanes` selects some of them; `fifo` is the queue of grouped jobs. */
export function queuesOf({ workers }: Pick<Deployment, 'workers'>, name: string, lanes?: readonly string[]): readonly QueueRef[] {
  const worker = presentName(workers, name);
  const own = workers.get(worker);
  if (own === undefined) {
    throw new InvalidConfigurationError(
      `worker: ${worker} is not a worker of this deployment. Known are: ${[...workers.keys()].join(', ')}.`,
    );
  }
  const all: QueueRef[] = [
    ...(own.fifo === undefined ? [] : [{ worker, lane: '', kind: 'fifo' } as const]),
    ...Object.keys(own.lanes).map((lane): QueueRef => ({ worker, lane, kind: 'standard' })),
  ];
  if (lanes === undefined) return all;
  const nameOf = ({ lane, kind }: QueueRef): string => (kind === 'fifo' ? 'fifo' : lane);
  const known = all.map(nameOf);
  const unknown = Array.isArray(lanes) ? lanes.find((lane) => !known.includes(lane)) : lanes;
  if (unknown !== undefined || lanes.length === 0) {
    throw new InvalidInputError('lanes', unknown, `Give some of those that the worker has: ${known.join(', ')}.`);
  }
  return all.filter((queue) => lanes.includes(nameOf(queue)));
}
