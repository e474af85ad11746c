import type { Clock } from '../../../shared/ports/clock.ts';
import { dockerEngine, startLocalStackInDocker } from './localstack-docker.ts';
import { startLocalStackProcess } from './localstack-process.ts';
import { LOCALSTACK_VERSION, type RunningLocalStack } from './running-localstack.ts';

/** Starts LocalStack in Docker if an engine answers, otherwise as a process. The error names what is missing, or a wrong version. */
export async function startLocalStack(clock: Clock): Promise<RunningLocalStack> {
  const engine = dockerEngine();
  const localStack = await (engine === undefined ? startLocalStackProcess(clock) : startLocalStackInDocker(clock, engine));
  if (localStack.version === LOCALSTACK_VERSION) return localStack;
  await localStack.stop();
  throw new Error(`LocalStack is ${localStack.version}, and ${LOCALSTACK_VERSION} is wanted: the last one that needs no token.`);
}
