import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const MODULES = join(ROOT, 'node_modules');

/** The optional peers. */
export const PEERS = [
  'aws-cdk-lib',
  'constructs',
  'esbuild',
  '@aws-sdk/client-cloudformation',
  '@aws-sdk/client-eventbridge',
  '@aws-sdk/client-lambda',
  '@aws-sdk/client-s3',
  '@aws-sdk/client-scheduler',
  '@opentelemetry/api',
] as const;

/** What a project of a user has besides: a schema library and the tools of TypeScript and the CDK. */
const TOOLS = ['aws-cdk', 'zod', 'typescript', 'typescript-5-4', 'typescript-5-9', '@types/node'];

interface Result {
  readonly status: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What `npm pack` made. */
export interface PackedPackage {
  readonly tarball: string;
  /** Paths in it, without the leading `package/`. */
  readonly files: readonly string[];
}

/** A project with the packed package in it. */
export interface InstalledPackage {
  readonly folder: string;
  /** Installs more packages. */
  add(names: readonly string[]): void;
  /** Runs a program in the folder, while this process goes on: it may be the one that serves SQS. */
  tryRun(program: string, args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Result>;
  /** The same; throws unless it exits with 0. */
  run(program: string, args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Result>;
  remove(): void;
}

/** Packs the repository into a folder. */
export function packPackage(folder: string): PackedPackage {
  const [packed] = JSON.parse(npm(['pack', '--json', '--silent', '--pack-destination', folder])) as [
    { filename: string; files: { path: string }[] },
  ];
  return { tarball: join(folder, packed.filename), files: packed.files.map((file) => file.path) };
}

/**
 * Unpacks the package into an empty project. No network: of other packages only those are linked that the manifest declares, some
 * `peers` and what users bring, so an import that is not declared fails as it would for a user. `.ci/run` does the real install.
 */
export function installPackage({ tarball }: PackedPackage, peers: readonly (typeof PEERS)[number][]): InstalledPackage {
  const folder = mkdtempSync(join(tmpdir(), 'nightcrew-package-'));
  const home = join(folder, 'node_modules', 'nightcrew');
  mkdirSync(home, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', home, '--strip-components=1']);
  const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { dependencies: Record<string, string> };
  const add = (names: readonly string[]): void => names.forEach((name) => link(folder, name));
  add([...Object.keys(manifest.dependencies), ...TOOLS, ...peers]);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'user', private: true, type: 'module' }));
  writeFileSync(join(folder, 'package-lock.json'), '{}');
  cpSync(join(ROOT, 'test', 'proofs', 'package', 'user'), folder, { recursive: true });
  const tryRun: InstalledPackage['tryRun'] = (program, args, env = {}) =>
    new Promise((resolve) => {
      execFile(program, args, { cwd: folder, env: { ...process.env, ...env }, maxBuffer: 64 * 2 ** 20 }, (error, stdout, stderr) => {
        resolve({ status: error === null ? 0 : (error.code ?? null), stdout, stderr });
      });
    });
  return {
    folder,
    add,
    tryRun,
    run: async (program, args, env) => {
      const result = await tryRun(program, args, env);
      if (result.status !== 0)
        throw new Error(`${program} ${args.join(' ')} exited with ${result.status}:\n${result.stdout}\n${result.stderr}`);
      return result;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function npm(args: readonly string[]): string {
  return execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], shell: process.platform === 'win32' });
}

function link(folder: string, name: string): void {
  const target = join(MODULES, name);
  const place = join(folder, 'node_modules', name);
  if (!existsSync(target)) throw new Error(`${name} is not installed in the repository`);
  mkdirSync(dirname(place), { recursive: true });
  symlinkSync(target, place, 'junction');
  const { bin } = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8')) as { bin?: Record<string, string> | string };
  const commands = join(folder, 'node_modules', '.bin');
  mkdirSync(commands, { recursive: true });
  for (const [command, script] of Object.entries(typeof bin === 'object' ? bin : {}))
    if (!existsSync(join(commands, command))) symlinkSync(join(target, script), join(commands, command));
}

/** The Node of a major version: this one, or the one that npm carries for the platform, if it does. */
export function nodeOf(major: number): string | undefined {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
  const windows = process.platform === 'win32';
  const carried = join(
    MODULES,
    `node-${windows ? 'win' : process.platform}-${process.arch}-${major}`,
    'bin',
    windows ? 'node.exe' : 'node',
  );
  return existsSync(carried) ? carried : undefined;
}

/** Every file below a folder of the project, relative to it. */
export function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  );
}
