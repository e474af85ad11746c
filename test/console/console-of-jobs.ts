import { afterAll, beforeAll, expect } from 'vitest';
import { type EveryState, jobsInEveryState } from './jobs-in-every-state.ts';
import { type OpenConsole, openConsole } from './open-console.ts';

/** Jobs in every state and a console that shows them, while the tests of a file run. */
export interface ConsoleOfJobs {
  readonly world: EveryState;
  readonly page: OpenConsole;
  /** The text of a page, which must be answered with this status and without a problem. */
  readonly read: (path: string, wanted?: number) => Promise<string>;
}

/** One for all tests of a file, with so many dead letters. */
export function consoleOfJobs(dead: number, given: Partial<Parameters<typeof openConsole>[0]> = {}): ConsoleOfJobs {
  let world: EveryState;
  let page: OpenConsole;
  beforeAll(async () => {
    world = await jobsInEveryState(dead);
    page = await openConsole({ admin: world.admin, now: () => world.kit.clock.now(), ...given });
  });
  afterAll(async () => {
    await world.release();
    await page.close();
  });
  return {
    get world() {
      return world;
    },
    get page() {
      return page;
    },
    read: async (path, wanted = 200) => {
      const { status, text } = await page.get(path);
      expect(page.problems).toEqual([]);
      expect(status, path).toBe(wanted);
      return text;
    },
  };
}
