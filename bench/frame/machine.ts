import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';

/** The machine, on which absolute figures depend. No host names. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly os: string;
  /** By name: Node, ourselves, the SDK, the emulators. */
  readonly versions: Readonly<Record<string, string>>;
}

/** The machine that this process runs on. */
export function thisMachine(): Machine {
  const cores = cpus();
  return {
    cpu: cores[0]?.model.trim() ?? 'unknown',
    cores: cores.length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    os: `${process.platform} ${process.arch} ${release()}`,
    versions: {
      node: process.versions.node,
      nightcrew: packageVersion(join(import.meta.dirname, '..', '..', 'package.json')),
      ...Object.fromEntries(
        ['@aws-sdk/client-dynamodb', '@aws-sdk/client-sqs', 'fauxqs', `@dynoxide/${process.platform}-${process.arch}`].flatMap(installed),
      ),
    },
  };
}

/** The version of an installed package under its name, or nothing where it is not installed. */
function installed(name: string): readonly (readonly [string, string])[] {
  for (const folder of createRequire(import.meta.url).resolve.paths(name) ?? []) {
    try {
      return [[name.startsWith('@dynoxide/') ? 'dynoxide' : name, packageVersion(join(folder, name, 'package.json'))]];
    } catch {
      // Not in this folder.
    }
  }
  return [];
}

function packageVersion(file: string): string {
  return String((JSON.parse(readFileSync(file, 'utf8')) as { version?: string }).version);
}
