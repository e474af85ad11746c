import { accessSync, constants, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const DEBIAN_POSTGRES = '/usr/lib/postgresql';
/** A program that a bench starts is not installed; its message names what to install. */
export class MissingProgramError extends Error {
  override readonly name = 'MissingProgramError';
}

const INSTALL = 'apt-get install -y --no-install-recommends postgresql redis-server';

/** Path of a program of the system, Debian's PostgreSQL included, which is not on the path. Throws MissingProgramError. */
export function systemBinary(name: string): string {
  const found = [...versionFolders(), ...(process.env['PATH'] ?? '').split(delimiter)].map((folder) => join(folder, name)).find(canRun);
  if (found === undefined) {
    throw new MissingProgramError(`${name} is needed, and there is none. Install it: ${INSTALL} (no service has to run).`);
  }
  return found;
}

/** The newest version first. */
function versionFolders(): readonly string[] {
  try {
    const versions = readdirSync(DEBIAN_POSTGRES).toSorted((a, b) => Number(b) - Number(a));
    return versions.map((version) => join(DEBIAN_POSTGRES, version, 'bin'));
  } catch {
    return [];
  }
}

function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
