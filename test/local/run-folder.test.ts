import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createRunFolder } from '../../local/run-folder.ts';

const DAY = 86_400_000;

it('is fresh for each run, and those of last week are removed, but nothing else in the folder', () => {
  const root = mkdtempSync(join(tmpdir(), 'run-folder-'));
  try {
    const [first, second] = [createRunFolder(Date.now(), root), createRunFolder(Date.now(), root)];
    expect(first).not.toBe(second);
    mkdirSync(join(root, 'install.lock'));
    const later = createRunFolder(Date.now() + 8 * DAY, root);
    expect([first, second, later].map((folder) => existsSync(folder))).toEqual([false, false, true]);
    expect(existsSync(join(root, 'install.lock'))).toBe(true);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
