import type { Admin } from '../operate/admin.ts';
import type { EraseOptions, EraseScope, ErasureReport } from '../operate/erase/erasure.ts';
import type { Session } from './page.ts';

/** Erasures in the background of the console's process. */
export interface EraseRuns {
  /** Resolves with its id as soon as that is written; rejects when it never began. */
  start(scope: EraseScope, options: EraseOptions): Promise<string>;
  /** Resolves when it has resumed, or with what there is to say about one that has ended. Undefined: there is none with this id. */
  resume(id: string, actor: string): Promise<'here' | ErasureReport | undefined>;
  /** False: this process does not run it. */
  stop(id: string): boolean;
  isHere(id: string): boolean;
  /** Stops all and waits for their steps. */
  close(): Promise<void>;
}

const byAdmin = new WeakMap<Admin, EraseRuns>();

/** The runs of one console: all of its requests share their admin. */
export function eraseRunsOf(session: Pick<Session, 'admin'> & Partial<Pick<Session, 'onProblem'>>): EraseRuns {
  const known = byAdmin.get(session.admin);
  if (known !== undefined) return known;
  const runs = createEraseRuns(session);
  byAdmin.set(session.admin, runs);
  return runs;
}

function createEraseRuns({ admin, onProblem }: Parameters<typeof eraseRunsOf>[0]): EraseRuns {
  const running = new Map<string, AbortController>();
  const ended = new Set<Promise<unknown>>();
  const follow = async <Report>(
    work: (heard: Required<Pick<EraseOptions, 'onBegin' | 'signal'>>) => Promise<Report>,
    began: (id: string) => void,
  ) => {
    const stopper = new AbortController();
    let own: string | undefined;
    const onBegin = (id: string): void => {
      own = id;
      running.set(id, stopper);
      began(id);
    };
    try {
      return await work({ onBegin, signal: stopper.signal });
    } catch (error) {
      if (own !== undefined) onProblem?.(`erasure ${own}`, error);
      throw error;
    } finally {
      if (own !== undefined) running.delete(own);
    }
  };
  const kept = async <Report>(work: Promise<Report>): Promise<Report> => {
    ended.add(work);
    return work.finally(() => ended.delete(work));
  };
  return {
    start: async (scope, options) =>
      new Promise<string>((resolve, reject) => {
        kept(follow(async (heard) => admin.erase(scope, { ...options, apply: true, ...heard }), resolve)).catch(reject);
      }),
    resume: async (id, actor) =>
      running.has(id)
        ? 'here'
        : new Promise<'here' | ErasureReport | undefined>((resolve, reject) => {
            kept(
              follow(
                async (heard) => admin.resumeErasure(id, { actor, ...heard }),
                () => resolve('here'),
              ),
            ).then(resolve, reject);
          }),
    stop(id) {
      running.get(id)?.abort();
      return running.has(id);
    },
    isHere: (id) => running.has(id),
    async close() {
      for (const stopper of running.values()) stopper.abort();
      await Promise.allSettled(ended);
    },
  };
}
