/*
 * The first program of every npm script. Runs on any Node from 18 on, before anything is installed:
 *   node scripts/run.mjs <file.ts | file.mjs | tool> [arguments]
 * It installs what the lockfile names, finds Node 24 and hands over to it. All it says goes to stderr.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const MODULES = join(ROOT, 'node_modules');
const STAMP = join(MODULES, '.nightcrew-stamp');
const LOCK = join(ROOT, '.nightcrew', 'install.lock');
/** Node keeps the compiled sources here, which halves the time that a command needs to start. */
const COMPILE_CACHE = join(ROOT, '.nightcrew', 'compile-cache');
const NEEDED_MAJOR = 24;
const WINDOWS = process.platform === 'win32';

class Refusal extends Error {}

/** A signal ended the installation. */
class Stopped extends Error {}

/** A terminal signals all processes and npm repeats the signal: a second one this soon is the same Ctrl-C. */
const SAME_SIGNAL_MS = 250;
const STOPPING = ['SIGINT', 'SIGTERM', 'SIGHUP'];

const say = (text) => process.stderr.write(`nightcrew: ${text}\n`);
const pause = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function isInstalled(lockfile, hash) {
  if (readIfThere(STAMP) === hash) return true;
  // `npm ci` may have been run by hand: npm's own record shows what is installed.
  const record = readIfThere(join(MODULES, '.package-lock.json'));
  if (record === undefined) return false;
  const there = JSON.parse(record).packages;
  const wanted = Object.entries(JSON.parse(lockfile).packages).filter(([path, entry]) => path !== '' && !entry.optional);
  if (wanted.some(([path, entry]) => there[path]?.version !== entry.version || there[path]?.integrity !== entry.integrity)) return false;
  writeFileSync(STAMP, hash);
  return true;
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Runs `work` while no other process does; a lock whose process died is taken over. */
async function alone(work) {
  const mine = `${process.pid} ${randomBytes(8).toString('hex')}`;
  mkdirSync(dirname(LOCK), { recursive: true });
  for (let told = false; ; pause(200)) {
    try {
      writeFileSync(LOCK, mine, { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const holder = readIfThere(LOCK);
    const pid = Number.parseInt(holder ?? '', 10);
    if (pid > 0 && !isAlive(pid)) takeAway(holder);
    else if (!told) say(`another run is installing (process ${pid || 'unknown'}); waiting for it`);
    told = true;
  }
  try {
    return await work();
  } finally {
    if (readIfThere(LOCK) === mine) rmSync(LOCK, { force: true });
  }
}

/** Renaming is atomic, so of several that see a dead lock one wins; one that caught a live lock puts it back. */
function takeAway(dead) {
  const aside = `${LOCK}.${randomBytes(4).toString('hex')}`;
  try {
    renameSync(LOCK, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return;
    throw error;
  }
  try {
    if (readIfThere(aside) !== dead) linkSync(aside, LOCK);
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

async function install() {
  if (WINDOWS && process.execPath.startsWith(MODULES)) {
    throw new Refusal('package-lock.json has changed, and Windows cannot replace the Node that runs this. Run: npm ci --ignore-scripts');
  }
  say('installing dependencies (npm ci), about a minute and more than a gigabyte the first time');
  const npm = process.env.npm_execpath;
  const viaNode = npm !== undefined && /npm-cli\.c?js$/.test(npm);
  const command = viaNode ? (process.env.npm_node_execpath ?? process.execPath) : 'npm';
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const child = spawn(command, viaNode ? [npm, ...args] : args, {
    cwd: ROOT,
    stdio: ['ignore', 2, 2],
    shell: WINDOWS && !viaNode,
    detached: !WINDOWS,
  });
  const { status, stopped, error } = await endOf(child);
  if (error !== undefined) throw new Refusal(`npm could not be started (${error.message}). Install Node with npm: https://nodejs.org`);
  if (stopped !== undefined) throw new Stopped(stopped);
  if (status !== 0) throw new Refusal(`npm ci failed (exit code ${status}); its output is above.`);
}

/**
 * Waits for npm. A signal to this process stops npm and its children first: otherwise they would disturb the next installation
 * in the same folder. A second signal ends it at once.
 */
function endOf(child) {
  return new Promise((resolve) => {
    let stopped;
    const listeners = STOPPING.map((signal) => {
      const listener = () => {
        const how = stopped === undefined ? 'SIGTERM' : 'SIGKILL';
        if (Date.now() - (stopped?.at ?? 0) < SAME_SIGNAL_MS) return;
        stopped ??= { signal, at: Date.now() };
        killAll(child, how);
      };
      process.on(signal, listener);
      return [signal, listener];
    });
    const end = (ended) => {
      for (const [signal, listener] of listeners) process.off(signal, listener);
      resolve({ ...ended, stopped: stopped?.signal });
    };
    child.on('error', (error) => end({ error }));
    child.on('exit', (status) => end({ status }));
  });
}

function killAll(child, signal) {
  try {
    if (WINDOWS) child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

async function ensureInstalled() {
  const lockfile = readFileSync(join(ROOT, 'package-lock.json'), 'utf8');
  const hash = createHash('sha256').update(lockfile).digest('hex');
  if (isInstalled(lockfile, hash)) return;
  await alone(async () => {
    if (isInstalled(lockfile, hash)) return;
    await install();
    writeFileSync(STAMP, hash);
  });
}

/** The Node that runs this when it is new enough, otherwise the one that npm carries for this platform. */
function findNode() {
  if (Number.parseInt(process.versions.node, 10) >= NEEDED_MAJOR) return process.execPath;
  const name = `node-${WINDOWS ? 'win' : process.platform}-${process.arch}`;
  const carried = join(MODULES, name, 'bin', WINDOWS ? 'node.exe' : 'node');
  if (existsSync(carried) && spawnSync(carried, ['--version']).status === 0) return carried;
  const why = existsSync(carried) ? `the one of npm package ${name} does not start here` : `npm package ${name} is not installed`;
  throw new Refusal(
    `Node ${NEEDED_MAJOR} or later is needed: this is ${process.version}, and ${why}. Install it from https://nodejs.org and try again.`,
  );
}

/** A file as it is; otherwise the script that a direct dependency declares as its command. */
function findScript(what) {
  if (/\.[cm]?[jt]s$/.test(what)) return what;
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
    const manifest = readIfThere(join(MODULES, name, 'package.json'));
    if (manifest === undefined) continue;
    const { bin } = JSON.parse(manifest);
    const script = typeof bin === 'string' ? (name === what ? bin : undefined) : bin?.[what];
    if (script !== undefined) return join(MODULES, name, script);
  }
  throw new Refusal(`${what} is neither a script file nor a command of a package in package.json.`);
}

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGWINCH'];

/** The child gets a process group of its own, so that a signal reaches it only from here, and once. */
function handOver(node, args) {
  const pathKey = Object.keys(process.env).find((key) => key.toUpperCase() === 'PATH') ?? 'PATH';
  const path = [dirname(node), join(MODULES, '.bin'), process.env[pathKey] ?? ''].join(WINDOWS ? ';' : ':');
  const env = { NODE_COMPILE_CACHE: COMPILE_CACHE, ...process.env, [pathKey]: path };
  // Without the dashes Node takes some of the script's own options for its: `--env-file` among them.
  const child = spawn(node, ['--', ...args], { stdio: 'inherit', detached: !WINDOWS, env });
  const last = new Map();
  for (const signal of FORWARDED) {
    process.on(signal, () => {
      const now = Date.now();
      if (!WINDOWS && now - (last.get(signal) ?? 0) >= SAME_SIGNAL_MS) child.kill(signal);
      last.set(signal, now);
    });
  }
  child.on('error', (error) => {
    say(`${node} could not be started: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    for (const name of FORWARDED) process.removeAllListeners(name);
    if (signal === null) process.exitCode = code ?? 1;
    else process.kill(process.pid, signal);
  });
}

try {
  const [what, ...args] = process.argv.slice(2);
  if (what === undefined) throw new Refusal('usage: node scripts/run.mjs <file.ts | file.mjs | tool> [arguments]');
  await ensureInstalled();
  handOver(findNode(), [findScript(what), ...args]);
} catch (error) {
  if (error instanceof Stopped) {
    say('the installation was stopped; the next run starts it again');
    process.kill(process.pid, error.message);
  } else {
    if (!(error instanceof Refusal)) throw error;
    say(error.message);
    process.exitCode = 1;
  }
}
