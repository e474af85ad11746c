import { type Answer, type Command, monotonicMs } from './messages.ts';

/** A system's worker: starts to take jobs, and gives back how to stop it once its running jobs are recorded. */
export type StartWorking = () => Promise<() => Promise<void>>;

let wanted = Number.POSITIVE_INFINITY;
let seen = 0;
let firstAt = 0;

/** The job: it does nothing, and is counted. */
export function noop(): void {
  seen += 1;
  if (seen === 1) firstAt = monotonicMs();
  if (seen === wanted) answer({ is: 'seen', firstAt, lastAt: monotonicMs() });
}

/** Runs a worker process: works, rests and ends on command, and ends if its parent is gone. */
export function workOnCommand(startWorking: StartWorking): void {
  let stopWorking: (() => Promise<void>) | undefined;
  const obey = async (command: Command): Promise<void> => {
    if (command.do === 'expect') {
      wanted = command.jobs;
      seen = 0;
    } else if (command.do === 'work') {
      stopWorking = await startWorking();
      answer({ is: 'working' });
    } else {
      await stopWorking?.();
      stopWorking = undefined;
      if (command.do === 'end') process.exit(0);
      answer({ is: 'resting' });
    }
  };
  process.on('message', (command: Command) => {
    obey(command).catch((error: unknown) => answer({ is: 'failed', why: error instanceof Error ? String(error.stack) : String(error) }));
  });
  process.on('disconnect', () => process.exit(1));
  answer({ is: 'ready' });
}

const answer = (message: Answer): void => void process.send?.(message);
