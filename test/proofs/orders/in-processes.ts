import { boundFork } from '../../support/bound-fork.ts';

/** What is done in processes, task by task. Both are plain data. */
export interface Shared<Task, Result> {
  readonly script: string;
  readonly processes: number;
  /** The next task; undefined when there is none any more. */
  readonly next: () => Task | undefined;
  readonly done: (result: Result) => void;
}

/** Lets processes run a script that answers each message with another one; rejects when one of them ends too early. */
export async function inProcesses<Task extends object, Result>({ script, processes, next, done }: Shared<Task, Result>): Promise<void> {
  await Promise.all(
    Array.from(
      { length: processes },
      () =>
        new Promise<void>((resolve, reject) => {
          const child = boundFork(script, []);
          let over = false;
          const more = (): void => {
            const task = next();
            over = task === undefined;
            if (task === undefined) child.disconnect();
            else child.send(task);
          };
          child.on('message', (result) => {
            done(result as Result);
            more();
          });
          child.on('error', reject);
          child.on('exit', (code, signal) => (over ? resolve() : reject(new Error(`${script} ended with ${code ?? signal}.`))));
          more();
        }),
    ),
  );
}
