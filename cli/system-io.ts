import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { createAdmin } from '../operate/create-admin.ts';
import { createActivation } from '../operate/activation.ts';
import { defined } from '../shared/job/defined.ts';
import { missingPackage } from '../shared/job/errors.ts';
import { external } from '../functions/index.ts';
import type { CommandIo, Environment } from './command-io.ts';
import { lookAtAws } from './doctor/look-at-aws.ts';

const EXIT_INTERRUPTED = 130;

/** The machine as commands see it: its terminal, its clock, its credentials. */
export function systemIo(): CommandIo {
  const { stdin, stdout, stderr, env } = process;
  let signal: AbortSignal | undefined;
  return {
    out: (line) => void stdout.write(line),
    err: (line) => void stderr.write(line),
    environment: env,
    openExternal: (worker) => external(worker, { environment: env }),
    openAdmin: (environment, actor) => createAdmin({ environment, actor }),
    openActivation: async (targets, environment) => {
      const [{ SchedulerClient }, { LambdaClient }] = await optional(['@aws-sdk/client-lambda', '@aws-sdk/client-scheduler'], async () =>
        Promise.all([import('@aws-sdk/client-scheduler'), import('@aws-sdk/client-lambda')]),
      );
      const [scheduler, lambda] = [
        new SchedulerClient(endpoint(environment, 'SCHEDULER')),
        new LambdaClient(endpoint(environment, 'LAMBDA')),
      ];
      return createActivation({ scheduler, lambda, targets });
    },
    openDoctor: (environment) => lookAtAws(environment, Date.now),
    startConsole: async (options) => (await import('../console/start.ts')).startConsole(options),
    stackOutputs: async (stack, environment) => {
      const { CloudFormationClient, DescribeStacksCommand } = await optional(
        ['@aws-sdk/client-cloudformation'],
        async () => import('@aws-sdk/client-cloudformation'),
      );
      const { Stacks } = await new CloudFormationClient(endpoint(environment, 'CLOUDFORMATION')).send(
        new DescribeStacksCommand({ StackName: stack }),
      );
      return new Map((Stacks?.[0]?.Outputs ?? []).map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]));
    },
    readText: async (path) => (path === '-' ? text(stdin) : readFile(path, 'utf8')),
    now: Date.now,
    zone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
    user: userName(env),
    terminal: { out: stdout.isTTY, err: stderr.isTTY, columns: stdout.columns },
    ask: async (question) => (stdin.isTTY && stderr.isTTY ? askOn(question) : undefined),
    // Only for work that supports it: everything else ends at the first Ctrl-C, as usual.
    get signal() {
      return (signal ??= interrupted());
    },
  };
}

function endpoint(environment: Environment, service: string): { readonly endpoint?: string; readonly region?: string } {
  const given = environment[`AWS_ENDPOINT_URL_${service}`];
  const region = environment['AWS_REGION'];
  return defined({ endpoint: given, region });
}

/** Loads optional clients that users install for the features that need them. */
async function optional<Module>(names: readonly string[], load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    throw missingPackage(names, error);
  }
}

function userName(env: Environment): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that has no name.
    return env['USER'] ?? 'operator';
  }
}

/** Questions go to the standard error, so that results can be piped. Ctrl-C while it waits answers nothing. */
async function askOn(text: string): Promise<string | undefined> {
  // A prompt is drawn again as the user types, so only its last line is one.
  const start = text.lastIndexOf('\n') + 1;
  process.stderr.write(text.slice(0, start));
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once('close', () => resolve(''));
      lines.question(text.slice(start)).then(resolve, reject);
    });
  } finally {
    lines.close();
  }
}

/** The first Ctrl-C asks work in pages to stop, the second ends the process. */
function interrupted(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(EXIT_INTERRUPTED);
      controller.abort();
    });
  }
  return controller.signal;
}
