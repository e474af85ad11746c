import { parseEnv } from 'node:util';
import type { ActivationTargets } from '../../operate/activation.ts';
import { ENVIRONMENT } from '../../shared/config/environment.ts';
import { defined } from '../../shared/job/defined.ts';
import { shown } from '../../shared/job/errors.ts';
import { plain } from '../text/plain.ts';
import { UsageError } from '../exit.ts';
import type { CommandIo, Environment } from '../command-io.ts';
import type { OpenDeployment } from './open-deployment.ts';
import { operatorOutput } from './operator-output.ts';

/** Which deployments are meant; none named: that of the environment. */
export interface DeploymentChoice {
  readonly stacks: readonly string[];
  readonly envFiles: readonly string[];
  readonly actor: string;
}

interface Found {
  readonly given: string;
  readonly words: readonly string[];
  readonly environment: Environment;
  readonly activation?: ActivationTargets;
}

/** Variable that may hold the activation targets: the JSON of the output `Activation`. */
const ACTIVATION = 'NIGHTCREW_ACTIVATION';

/** Opens every deployment that was named. Throws UsageError or MissingEnvironmentError when one cannot be, before any of them is asked. */
export async function openDeployments(io: CommandIo, { stacks, envFiles, actor }: DeploymentChoice): Promise<readonly OpenDeployment[]> {
  const found: Found[] = [];
  for (const file of envFiles) found.push(await fromFile(io, file));
  for (const stack of stacks) found.push(await fromStack(io, stack));
  if (found.length === 0 && (io.environment[ENVIRONMENT.tables] ?? '') === '') {
    throw new UsageError(
      `no deployment is named. Use --stack or --env-file, or set ${ENVIRONMENT.tables} and the other variables that connect(fn) gives a function.`,
    );
  }
  if (found.length === 0)
    found.push(withActivation({ given: 'the deployment of the environment', words: [], environment: io.environment }));
  const opened = found.map(({ given, words, environment, activation }) => ({
    name: plain(environment[ENVIRONMENT.deployment] ?? given),
    words,
    environment,
    admin: io.openAdmin(environment, actor),
    ...defined({ activation }),
  }));
  const names = opened.map(({ name }) => name);
  // Two deployments with one name could not be distinguished in the output.
  return opened.map((one, index) =>
    names.indexOf(one.name) === names.lastIndexOf(one.name) ? one : { ...one, name: `${one.name} (${plain(found[index]?.given ?? '')})` },
  );
}

async function fromFile(io: CommandIo, file: string): Promise<Found> {
  const text = await io.readText(file).catch((error: unknown) => {
    throw new UsageError(
      `--env-file ${shown(file)} cannot be read (${error instanceof Error && 'code' in error ? String(error.code) : 'unknown'}).`,
    );
  });
  return withActivation({ given: file, words: ['--env-file', file], environment: { ...ofTheProcess(io), ...parseEnv(text) } });
}

async function fromStack(io: CommandIo, given: string): Promise<Found> {
  const [stack = '', construct] = given.split(/\/(.*)/s, 2);
  if (stack === '') throw new UsageError(`--stack ${shown(given)} names no stack.`);
  const { environment, activation } = operatorOutput(stack, construct, await io.stackOutputs(stack, io.environment));
  const words = ['--stack', given];
  return { given, words, environment: { ...ofTheProcess(io), ...environment }, ...defined({ activation }) };
}

/** Endpoints, region and credentials of the process hold for every deployment; which one it is does not. */
function ofTheProcess({ environment }: CommandIo): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('NIGHTCREW_')));
}

function withActivation(found: Found): Found {
  const text = found.environment[ACTIVATION];
  if (text === undefined || text === '') return found;
  try {
    const activation = JSON.parse(text) as ActivationTargets;
    if (Array.isArray(activation.schedules) && Array.isArray(activation.eventSourceMappings)) return { ...found, activation };
  } catch {
    // said below
  }
  throw new UsageError(`${ACTIVATION} is not valid. Set it to the JSON of the stack's output Activation.`);
}
