import type { External } from '../../functions/index.ts';

/** Converts scans until none is left, as a program in any language could with `nightcrew external`; returns what it did. */
export async function convertScans(scans: External): Promise<readonly string[]> {
  const story: string[] = [];
  for (;;) {
    const tasks = await scans.fetchAndLock(2, 'PT1M', { wait: 'PT8S' });
    if (tasks.length === 0) return story;
    for (const { id, token, payload, attempt } of tasks) {
      const { file } = payload as { file: string };
      // Long work extends its lock before it expires, and checks whether a cancel was requested.
      const lock = await scans.extendLock(id, token, 'PT5M');
      if (lock.result !== 'extended') continue;
      const broken = file.endsWith('.broken') || (file.endsWith('.smudged') && attempt === 1);
      const answer = broken
        ? await scans.fail(id, token, { message: `${file} cannot be read`, ...(file.endsWith('.broken') ? { retries: 0 } : {}) })
        : await scans.complete(id, token, { result: { pages: file.length } });
      story.push(`${file}: ${answer.result}`);
    }
  }
}
