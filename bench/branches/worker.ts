/** The executor of the bench `branches`: runs in processes of its own, and prints a line for each job that it has done. */
import { createExecutor } from '../../functions/executor/create-executor.ts';
import { allTasks, endedLine, joined, oneTask, perform } from './tasks.ts';

const ended = (run: string): void => void process.stdout.write(`${endedLine(run)}\n`);

export const handler = createExecutor([
  oneTask.handle(async ({ payload }) => {
    await perform(payload);
    ended(payload.run);
  }),
  allTasks.handle(async ({ payload }) => {
    const all = Array.from({ length: payload.tasks }, () => payload);
    if (payload.atOnce) await Promise.all(all.map(async (task) => perform(task)));
    else for (const task of all) await perform(task);
    ended(payload.run);
  }),
  joined.handle(({ payload }) => ended(payload.run)),
]);
