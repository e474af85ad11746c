/** A process that walks what it is sent, and answers each message with what came of it. */
import { drawOf } from './draw.ts';
import { type Meeting, pairs } from './meetings.ts';
import { type PairReport, walkPair } from './walk-pair.ts';

/** `draw`: a draw of a base, until an instant; `from`, `through`: all pairs between these numbers, whole. */
export type Task = { readonly most: number } & (
  | { readonly base: number; readonly draw: number; readonly until: number }
  | { readonly from: number; readonly through: number }
);

/** What came of a task, and which one it was. */
export interface Done {
  readonly task: Task;
  readonly reports: readonly PairReport[];
}

let all: readonly Meeting[] | undefined;

async function run(task: Task): Promise<readonly PairReport[]> {
  const { most } = task;
  if ('draw' in task) {
    const { verbs, situation, pick } = drawOf(task.base, task.draw);
    return [await walkPair(verbs, situation, { most, pick, goesOn: () => Date.now() < task.until })];
  }
  all ??= [...pairs()];
  const reports: PairReport[] = [];
  for (const { verbs, situation } of all.slice(task.from, task.through)) reports.push(await walkPair(verbs, situation, { most }));
  return reports;
}

process.on('message', (task: Task) => {
  void run(task).then((reports) => process.send?.({ task, reports } satisfies Done));
});
