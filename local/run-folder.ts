import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = '.nightcrew';
const KEPT_MS = 7 * 86_400_000;

/** A fresh folder for the files of a run; removes folders of runs that started more than a week ago. */
export function createRunFolder(now: number, root: string = ROOT): string {
  mkdirSync(root, { recursive: true });
  for (const name of readdirSync(root)) {
    const path = join(root, name);
    if (/^local-[0-9a-f]{6}$/.test(name) && statSync(path).birthtimeMs < now - KEPT_MS) rmSync(path, { recursive: true, force: true });
  }
  const folder = join(root, `local-${randomBytes(3).toString('hex')}`);
  mkdirSync(folder);
  return folder;
}
