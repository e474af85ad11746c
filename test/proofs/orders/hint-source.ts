import type { HintSource } from '../../../shared/ports/hint-source.ts';
import { longPolls } from '../simulation/world/long-polls.ts';
import type { SimProcess } from '../simulation/world/sim-process.ts';
import type { World } from '../simulation/world/world.ts';

/** Where a worker outside Lambda gets its messages; its requests wait for their turn like all others. */
export function hintSource({ chaos, queues }: World, process: SimProcess): HintSource {
  return longPolls(process.clock, {
    async receive(queue, max, signal) {
      await chaos.gate?.(process, 'visible');
      return signal?.aborted === true ? [] : queues.receive(queue, max);
    },
    async acknowledge(message) {
      await chaos.gate?.(process, 'visible');
      queues.acknowledge([message]);
    },
  });
}
