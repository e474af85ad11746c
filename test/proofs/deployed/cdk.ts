import { spawn } from 'node:child_process';
import { createWriteStream, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Target } from './target.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const SAID_LAST = 15;

/** The CDK's command line against one target. */
export interface Cdk {
  bootstrap(): Promise<void>;
  /** Outputs of the stack by name. */
  deploy(): Promise<Readonly<Record<string, string>>>;
  destroy(): Promise<void>;
}

/** Runs it as `npm run cdk` does, with its output in `cdk.log` of the folder. Rejects with the last lines of that. */
export function createCdk(target: Target, stack: string, folder: string): Cdk {
  const context = Object.entries({ ...target.context, stack, destroy: 'true' }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const run = (...args: readonly string[]): Promise<void> =>
    runCdk([...args, ...context, '--output', join(folder, 'cdk.out')], { target, log: join(folder, 'cdk.log') });
  const outputs = join(folder, 'outputs.json');
  return {
    bootstrap: () => run('bootstrap'),
    async deploy() {
      const parameters = [`WebhookUrl=${target.webhookUrl}`, `WebhookSecret=${target.webhookSecret}`];
      const quietly = ['--require-approval', 'never', '--progress', 'events', '--outputs-file', outputs];
      await run('deploy', stack, ...quietly, ...parameters.flatMap((parameter) => ['--parameters', parameter]));
      if (!existsSync(outputs)) throw new Error('cdk deploy wrote no outputs');
      return (JSON.parse(readFileSync(outputs, 'utf8')) as Record<string, Record<string, string>>)[stack] ?? {};
    },
    destroy: () => run('destroy', stack, '--force'),
  };
}

function runCdk(args: readonly string[], { target, log }: { readonly target: Target; readonly log: string }): Promise<void> {
  const said = createWriteStream(log, { flags: 'a' });
  said.write(`\n$ cdk ${args.join(' ')}\n`);
  // A process group of its own: Ctrl-C must not end a deployment half way, because it could not be destroyed then.
  const child = spawn(process.execPath, [join(ROOT, 'scripts', 'run.mjs'), 'cdk', '--no-notices', '--no-color', ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    timeout: target.patience.cdkMs,
    env: { ...process.env, ...target.environment, CDK_DISABLE_CLI_TELEMETRY: '1' },
  });
  const lines: string[] = [];
  for (const pipe of [child.stdout, child.stderr]) {
    pipe.setEncoding('utf8').on('data', (text: string) => {
      said.write(text);
      lines.push(...text.split('\n').filter((line) => line.trim() !== ''));
      lines.splice(0, lines.length - SAID_LAST);
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      said.end();
      if (code === 0) resolve();
      else reject(new Error(`cdk ${args[0]} ended with ${signal ?? code}; it said last:\n${lines.join('\n')}\nAll of it: ${log}`));
    });
  });
}
