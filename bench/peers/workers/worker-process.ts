import { type ChildProcess, fork } from 'node:child_process';
import { basename, join } from 'node:path';
import { within } from '../../frame/within.ts';
import type { WorkerEntry } from '../system.ts';
import type { Answer, Command } from './messages.ts';

/** A worker in a process of its own. */
export interface WorkerProcess {
  readonly pid: number;
  /** Resolves once it takes jobs. */
  work(): Promise<void>;
  /** Resolves once nothing runs in it. */
  rest(): Promise<void>;
  /** Starts counting; resolves when this many jobs have started, with the instants of the first and the last. */
  expect(jobs: number): Promise<{ readonly firstAt: number; readonly lastAt: number }>;
  end(): Promise<void>;
}

/** How long it may take, in milliseconds, until it is ready, and until it works, rests or has ended. */
interface Limits {
  readonly startMs?: number;
  readonly answerMs?: number;
}

/**
 * Starts a worker; it prints nowhere, and ends with this process. Every wait fails when it fails or ends, and all but `expect` when it
 * takes too long; one that does not end by itself is killed.
 */
export async function startWorkerProcess(entry: WorkerEntry, { startMs = 60_000, answerMs = 30_000 }: Limits = {}): Promise<WorkerProcess> {
  const child = fork(join(import.meta.dirname, entry.file), {
    env: { ...process.env, ...entry.environment },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const answers = waitingFor(child);
  const ask = async <Is extends Answer['is']>(is: Is, command?: Command): Promise<Extract<Answer, { is: Is }>> => {
    const answer = answers.next(is);
    if (command !== undefined) child.send(command);
    return (await answer) as Extract<Answer, { is: Is }>;
  };
  const name = basename(entry.file);
  const inTime = <Result>(wait: Promise<Result>, ms: number, what: string): Promise<Result> =>
    within(wait, { ms, what: `${name} to ${what}` });
  await inTime(ask('ready'), startMs, 'be ready').catch((error: unknown) => {
    answers.ending();
    child.kill('SIGKILL');
    throw error;
  });
  return {
    pid: child.pid as number,
    work: async () => void (await inTime(ask('working', { do: 'work' }), answerMs, 'be working')),
    rest: async () => void (await inTime(ask('resting', { do: 'rest' }), answerMs, 'be resting')),
    expect: (jobs) => ask('seen', { do: 'expect', jobs }),
    async end() {
      answers.ending();
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.send({ do: 'end' } satisfies Command);
      try {
        await inTime(ended, answerMs, 'end');
      } catch (error) {
        child.kill('SIGKILL');
        await ended;
        throw error;
      }
    },
  };
}

/** At most one wait of each kind at a time. */
function waitingFor(child: ChildProcess) {
  const waits = new Map<Answer['is'], PromiseWithResolvers<Answer>>();
  let broken: Error | undefined;
  let isEnding = false;
  const fail = (why: string): void => {
    if (isEnding) return;
    broken = new Error(`a worker process of the bench failed: ${why}`);
    for (const wait of waits.values()) wait.reject(broken);
    waits.clear();
  };
  child.on('message', (answer: Answer) => {
    if (answer.is === 'failed') return fail(answer.why);
    waits.get(answer.is)?.resolve(answer);
    waits.delete(answer.is);
  });
  child.on('exit', (code, signal) => fail(`it ended with ${signal ?? code}`));
  return {
    next(is: Answer['is']): Promise<Answer> {
      if (broken !== undefined) return Promise.reject(broken);
      const wait = Promise.withResolvers<Answer>();
      waits.set(is, wait);
      // A worker that fails rejects all waits, but the caller may be awaiting only one of them.
      wait.promise.catch(() => {});
      return wait.promise;
    },
    ending: () => void (isEnding = true),
  };
}
