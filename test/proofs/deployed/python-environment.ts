import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { systemEnvironment } from '../../../shared/adapters/system.ts';

/** The packages to install, and their requirements. */
export interface PythonProgram {
  readonly name: string;
  /** A pip requirements file with exact versions. */
  readonly requirements: string;
  /** Lowest minor version of Python 3. */
  readonly leastMinor: number;
  /** An ignored folder of its own. */
  readonly folder: string;
}

const CANDIDATES = ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11', 'python3.10', 'python'] as const;
const INSTALL_MS = 180_000;

/**
 * Path of a Python that has a program with exactly its requirements: a virtual environment that is made once and made anew when the
 * requirements change. The error names what is missing on this machine.
 */
export function pythonWith(program: PythonProgram): string {
  const environment = join(program.folder, 'python');
  const python = process.platform === 'win32' ? join(environment, 'Scripts', 'python.exe') : join(environment, 'bin', 'python');
  const stamp = join(environment, '.installed');
  const hash = createHash('sha256').update(readFileSync(program.requirements)).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash && starts(python)) return python;
  const base = findPython(program);
  rmSync(environment, { recursive: true, force: true });
  mkdirSync(program.folder, { recursive: true });
  install(
    base,
    ['-m', 'venv', environment],
    `${base} could not make a virtual environment. On Debian and Ubuntu: apt install python3-venv`,
  );
  install(
    python,
    // Python compiles the modules that it imports: most of what is installed never is.
    ['-m', 'pip', 'install', '--quiet', '--no-compile', '--disable-pip-version-check', '--no-input', '-r', program.requirements],
    `pip could not install ${program.name}: it needs PyPI or a mirror of it (PIP_INDEX_URL)`,
  );
  writeFileSync(stamp, hash);
  return python;
}

function findPython({ name, leastMinor }: PythonProgram): string {
  const check = `import sys; sys.exit(0 if sys.version_info >= (3, ${leastMinor}) else 1)`;
  const found = [...CANDIDATES, ...installedByPyenv()].find((python) => spawnSync(python, ['-c', check], { stdio: 'ignore' }).status === 0);
  if (found !== undefined) return found;
  throw new Error(
    `${name} needs Python 3.${leastMinor} or later, and none of ${CANDIDATES.join(', ')} is one, nor is any that pyenv has. Install it: https://www.python.org`,
  );
}

/** pyenv puts only the selected version on the PATH, not all that are installed. */
function installedByPyenv(): readonly string[] {
  const versions = join(systemEnvironment()['PYENV_ROOT'] ?? join(homedir(), '.pyenv'), 'versions');
  if (!existsSync(versions)) return [];
  const newestFirst = readdirSync(versions).toSorted((one, other) => other.localeCompare(one, undefined, { numeric: true }));
  return newestFirst.map((version) => join(versions, version, 'bin', 'python'));
}

function starts(python: string): boolean {
  return spawnSync(python, ['--version'], { stdio: 'ignore' }).status === 0;
}

function install(command: string, args: readonly string[], orElse: string): void {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', timeout: INSTALL_MS });
  if (status === 0) return;
  const said = `${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}`.trim().split('\n').slice(-5).join('\n');
  throw new Error(`${orElse}. It said:\n${said}`);
}
