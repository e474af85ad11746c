import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { WAIT } from '../support/patience.ts';

const RUN = fileURLToPath(new URL('../../scripts/run.mjs', import.meta.url));

/** Stands in for npm: records each call, and leaves behind what `npm ci` leaves. */
const FAKE_NPM = `
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
appendFileSync('calls.log', process.argv.slice(2).join(' ') + '\\n');
if (existsSync('npm-fails')) process.exit(7);
if (existsSync('npm-hangs')) {
  writeFileSync('npm.pid', String(process.pid));
  await new Promise(() => setInterval(() => {}, 1_000));
}
await new Promise((done) => setTimeout(done, 300));
mkdirSync('node_modules/tool-package', { recursive: true });
writeFileSync('node_modules/tool-package/package.json', JSON.stringify({ name: 'tool-package', bin: { tool: 'tool.mjs' } }));
writeFileSync('node_modules/tool-package/tool.mjs', "console.log('tool', ...process.argv.slice(2))");
`;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'nightcrew-run-'));
  mkdirSync(join(root, 'scripts'));
  cpSync(RUN, join(root, 'scripts', 'run.mjs'));
  write('package.json', JSON.stringify({ devDependencies: { 'tool-package': '1.0.0' } }));
  lock('1.0.0');
  write('npm-cli.mjs', FAKE_NPM);
  // The name by which run.mjs knows that npm can be started through Node.
  write('npm-cli.js', "import(__dirname + '/npm-cli.mjs');");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const write = (name: string, text: string): void => writeFileSync(join(root, name), text);
const lock = (version: string): void =>
  write('package-lock.json', JSON.stringify({ packages: { '': {}, 'node_modules/tool-package': { version } } }));
const calls = (): number =>
  existsSync(join(root, 'calls.log')) ? readFileSync(join(root, 'calls.log'), 'utf8').trim().split('\n').length : 0;

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

function start(...args: string[]): { child: ChildProcess; ended: Promise<Ended> } {
  const { NODE_COMPILE_CACHE: _, ...own } = process.env;
  const env = { ...own, npm_execpath: join(root, 'npm-cli.js'), npm_node_execpath: process.execPath };
  const child = spawn(process.execPath, ['--', join(root, 'scripts', 'run.mjs'), ...args], { cwd: root, env });
  let [out, err] = ['', ''];
  child.stdout.on('data', (data) => (out += String(data)));
  child.stderr.on('data', (data) => (err += String(data)));
  return { child, ended: once(child, 'close').then(([code, signal]) => ({ code, signal, out, err })) };
}

describe('scripts/run.mjs', () => {
  test('installs what the lockfile names, once, without install scripts, and says so on stderr', async () => {
    const first = await start('tool', 'a', '--b').ended;
    expect(first).toMatchObject({ code: 0, out: 'tool a --b\n' });
    expect(first.err).toContain('installing dependencies (npm ci)');
    expect(readFileSync(join(root, 'calls.log'), 'utf8')).toContain('ci --ignore-scripts --no-audit --no-fund');
    expect(await start('tool').ended).toMatchObject({ code: 0, err: '' });
    expect(calls()).toBe(1);
  });

  test("hands the script's own options over, also those that Node has too", async () => {
    expect(await start('tool', '--env-file', '/missing').ended).toMatchObject({ code: 0, out: 'tool --env-file /missing\n' });
  });

  test('keeps the compiled sources of what it starts', async () => {
    await start('tool').ended;
    expect(readdirSync(join(root, '.nightcrew', 'compile-cache'), { recursive: true }).length).toBeGreaterThan(1);
  });

  test('installs again when the lockfile has changed', async () => {
    await start('tool').ended;
    lock('1.0.1');
    await start('tool').ended;
    expect(calls()).toBe(2);
  });

  test("takes somebody's own npm ci for installed", async () => {
    mkdirSync(join(root, 'node_modules', 'tool-package'), { recursive: true });
    write('node_modules/.package-lock.json', readFileSync(join(root, 'package-lock.json'), 'utf8'));
    write('node_modules/tool-package/package.json', '{"bin":{"tool":"tool.mjs"}}');
    write('node_modules/tool-package/tool.mjs', '');
    expect(await start('tool').ended).toMatchObject({ code: 0 });
    expect(calls()).toBe(0);
  });

  test('installs once when three start at the same time', async () => {
    const all = await Promise.all([start('tool'), start('tool'), start('tool')].map(({ ended }) => ended));
    expect(all.map(({ code, out }) => [code, out])).toEqual([
      [0, 'tool\n'],
      [0, 'tool\n'],
      [0, 'tool\n'],
    ]);
    expect(calls()).toBe(1);
  });

  test('takes over the lock of a process that died', async () => {
    const gone = spawn(process.execPath, ['-e', '']);
    await once(gone, 'exit');
    mkdirSync(join(root, '.nightcrew'));
    write('.nightcrew/install.lock', `${gone.pid} token`);
    expect(await start('tool').ended).toMatchObject({ code: 0, out: 'tool\n' });
    expect(existsSync(join(root, '.nightcrew', 'install.lock'))).toBe(false);
  });

  test.each(['SIGINT', 'SIGTERM'] as const)(
    'ends npm before it ends by %s, so that the next run finds no other installation',
    async (signal) => {
      write('npm-hangs', '');
      const { child, ended } = start('tool');
      await vi.waitFor(() => expect(readFileSync(join(root, 'npm.pid'), 'utf8')).not.toBe(''), WAIT);
      const npm = Number(readFileSync(join(root, 'npm.pid'), 'utf8'));
      child.kill(signal);
      expect(await ended).toMatchObject({ code: null, signal, out: '' });
      expect(() => process.kill(npm, 0)).toThrow('ESRCH');
      expect(existsSync(join(root, '.nightcrew', 'install.lock'))).toBe(false);
      rmSync(join(root, 'npm-hangs'));
      expect(await start('tool').ended).toMatchObject({ code: 0, out: 'tool\n' });
    },
  );

  test('says that npm failed, and tries again the next time', async () => {
    write('npm-fails', '');
    const failed = await start('tool').ended;
    expect(failed).toMatchObject({ code: 1 });
    expect(failed.err).toContain('npm ci failed (exit code 7)');
    rmSync(join(root, 'npm-fails'));
    expect(await start('tool').ended).toMatchObject({ code: 0 });
  });

  test('names what it cannot find', async () => {
    expect((await start('no-such-tool').ended).err).toContain('no-such-tool is neither a script file nor a command');
    expect((await start().ended).err).toContain('usage: node scripts/run.mjs');
  });

  test("passes on arguments and exit code, and gives children Node 24 as 'node'", async () => {
    write(
      'ends.mjs',
      "import { execFileSync } from 'node:child_process'; console.log(execFileSync('node', ['--version'], { encoding: 'utf8' }).trim()); process.exit(Number(process.argv[2]));",
    );
    const { code, out } = await start('ends.mjs', '42').ended;
    expect(code).toBe(42);
    expect(Number.parseInt(out.slice(1), 10)).toBeGreaterThanOrEqual(24);
  });

  test('runs TypeScript as it is', async () => {
    write('typed.ts', 'const n: number = 5; console.log(n);');
    expect(await start('typed.ts').ended).toMatchObject({ code: 0, out: '5\n' });
  });

  test('hands Ctrl-C to the child once, however often it arrives at once, and waits until the child is done', async () => {
    write(
      'stops.mjs',
      "let n = 0; process.on('SIGINT', () => { n += 1; setTimeout(() => { console.log('signals', n); process.exit(3); }, 600); }); console.log('up'); setInterval(() => {}, 1000);",
    );
    const { child, ended } = start('stops.mjs');
    await once(child.stdout as NodeJS.ReadableStream, 'data');
    child.kill('SIGINT');
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 3, out: 'up\nsignals 1\n' });
  });

  test('ends by the signal that ended its child', async () => {
    write('dies.mjs', "process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000);");
    expect(await start('dies.mjs').ended).toMatchObject({ code: null, signal: 'SIGTERM' });
  });
});
