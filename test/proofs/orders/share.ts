/** A process that walks what it is sent, and answers each message with what came of it. */
import { drawOf } from './draw.ts';
import { parsePair } from './meetings.ts';
import { type PairReport, walkPair } from './walk-pair.ts';

/** `draw`: a draw of a base, until an instant; `pairs`: these; one that is not walked whole until an instant is cut. */
export type Task = { readonly most: number } & (
  | { readonly base: number; readonly draw: number; readonly until: number }
  | { readonly pairs: readonly string[]; readonly until: number }
);

/** What came of a task, and which one it was. */
export interface Done {
  readonly task: Task;
  readonly reports: readonly PairReport[];
}

async function run(task: Task): Promise<readonly PairReport[]> {
  const { most } = task;
  if ('draw' in task) {
    const { verbs, situation, pick } = drawOf(task.base, task.draw);
    return [await walkPair(verbs, situation, { most, pick, goesOn: () => Date.now() < task.until })];
  }
  const reports: PairReport[] = [];
  const goesOn = (): boolean => Date.now() < task.until;
  for (const { verbs, situation } of task.pairs.flatMap((pair) => parsePair(pair) ?? [])) {
    const report = await walkPair(verbs, situation, { most, goesOn });
    reports.push(goesOn() ? report : { ...report, cut: true });
  }
  return reports;
}

process.on('message', (task: Task) => {
  void run(task).then((reports) => process.send?.({ task, reports } satisfies Done));
});
