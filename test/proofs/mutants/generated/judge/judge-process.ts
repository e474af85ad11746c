import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { boundFork } from '../../../../support/bound-fork.ts';
import { ROOT } from '../mutants.ts';
import type { JudgeLine, JudgeOrder } from './orders.ts';

const VITEST = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
const LOOK_MS = 200;
/** A process without output for this many checks is spinning. Checks, not time, because a paused machine does not check. */
const SILENT_LOOKS = 300;

/** How a process of the judge ended; `silent` when it had to be killed. */
export interface JudgeEnd {
  readonly silent: boolean;
  readonly code: number | undefined;
  readonly printed: string;
}

type Wanted = JudgeOrder extends infer One ? (One extends JudgeOrder ? Omit<One, 'out'> : never) : never;

/** Runs a process of the judge to its end and passes on each line as it comes. */
export async function runJudge(wanted: Wanted, see: (line: JudgeLine) => void): Promise<JudgeEnd> {
  const folder = mkdtempSync(join(tmpdir(), 'nightcrew-judge-'));
  const out = join(folder, 'lines');
  const orderFile = join(folder, 'order.json');
  writeFileSync(orderFile, JSON.stringify({ ...wanted, out }));
  const child = boundFork(VITEST, ['run', '--config', join(import.meta.dirname, 'vitest.config.ts')], {
    cwd: ROOT,
    silent: true,
    env: { ...process.env, NIGHTCREW_JUDGE: orderFile, NO_COLOR: '1' },
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (text: Buffer) => (printed = (printed + text.toString()).slice(-4000)));
  let read = 0;
  let silence = 0;
  let silent = false;
  const look = (): void => {
    const text = existsSync(out) ? readFileSync(out, 'utf8') : '';
    const end = text.lastIndexOf('\n') + 1;
    silence = end > read ? 0 : silence + 1;
    for (const line of text.slice(read, end).split('\n')) if (line !== '') see(JSON.parse(line) as JudgeLine);
    read = Math.max(read, end);
    if (silence < SILENT_LOOKS || child.pid === undefined || silent) return;
    silent = true;
    process.kill(-child.pid, 'SIGKILL');
  };
  const looking = setInterval(look, LOOK_MS);
  const code = await new Promise<number | undefined>((resolve) => child.once('exit', (status) => resolve(status ?? undefined)));
  clearInterval(looking);
  look();
  rmSync(folder, { recursive: true, force: true });
  return { silent, code, printed };
}
