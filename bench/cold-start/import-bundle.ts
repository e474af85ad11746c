import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { lambdaEnvironment } from '../../local/lambda-environment.ts';

const run = promisify(execFile);

/** The time to import a bundle in a fresh process, in milliseconds. */
export interface ImportTime {
  readonly init: number;
  /** User and system together, all threads. */
  readonly cpu: number;
}

/** Imports a bundle in a fresh process with the variables that Lambda sets, source maps switched on as deployed. Throws when it does not load. */
export async function importBundle(file: string): Promise<ImportTime> {
  const script = `
    const cpu = process.cpuUsage();
    const at = performance.now();
    const { handler } = await import(${JSON.stringify(file)});
    const init = performance.now() - at;
    const { user, system } = process.cpuUsage(cpu);
    if (typeof handler !== 'function') throw new Error('no handler');
    console.log(JSON.stringify({ init, cpu: (user + system) / 1000 }));`;
  const environment = lambdaEnvironment({ name: 'bench', memoryMb: 256 });
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], { env: environment });
  return JSON.parse(stdout) as ImportTime;
}
