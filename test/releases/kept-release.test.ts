import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { keptReleases } from './kept-release.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const git = (...args: readonly string[]) => spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
/** A copy without history, or with the last part of it, cannot tell. */
const HAS_HISTORY = git('rev-parse', '--is-shallow-repository').stdout?.trim() === 'false';

describe.each(keptReleases())('the kept bundle of $origin.commit', ({ origin }) => {
  it.skipIf(!HAS_HISTORY)('comes from a commit of this history, so that it can be built again', () => {
    expect(git('merge-base', '--is-ancestor', origin.commit, 'HEAD')).toMatchObject({ status: 0, stderr: '' });
  });
});
