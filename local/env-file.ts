import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EMULATED } from './emulators/emulator-credentials.ts';

/**
 * Writes the environment of a region for the command line's `--env-file`, and returns the file's path. It holds no secret: the keys are those that
 * no AWS account takes.
 */
export function writeEnvFile(folder: string, environment: Readonly<Record<string, string | undefined>>): string {
  const path = join(folder, 'deployment.env');
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION } = EMULATED;
  const lines = Object.entries({ AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_SESSION_TOKEN: '', ...environment }).map(
    ([name, value = '']) => `${name}='${value}'`,
  );
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}
