import type { JobClient } from '../../../../shared/client/job-client.ts';
import type { HandledJob } from '../../../../shared/job/job-type.ts';
import { DEFAULT_RETRY } from '../../../../shared/job/retry-policy.ts';
import type { ExecutorDeps } from '../../../../functions/executor/deps.ts';
import { createRulesCache } from '../../../../functions/executor/gates/rules.ts';
import { callOut } from '../faults/call-out.ts';
import { handlersOf } from '../workload/handlers.ts';
import { worldHas } from './some-worlds.ts';
import type { SimProcess } from './sim-process.ts';
import type { ProcessPorts, World } from './world.ts';

/** Whose code a process runs. */
export interface Code {
  readonly worker: string;
  readonly handlers: ReadonlyMap<string, HandledJob>;
}

const LOG = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** What an executor is made of in a simulated world, in a sandbox of Lambda or outside. */
export function executorDeps(world: World, process: SimProcess, code: Code, ports: ProcessPorts = world.ports(process)): ExecutorDeps {
  const { deployment, queues, checks } = world;
  return {
    ...ports,
    deployment: { ...deployment, worker: code.worker },
    inbox: queues.inbox(process),
    sandbox: {
      end: () => {
        checks.ledger.endsItself(process);
        process.kill();
      },
    },
    handlers: code.handlers,
    around: [],
    rules: createRulesCache(),
    retry: DEFAULT_RETRY,
    log: () => LOG,
  };
}

/** The handlers of the simulated jobs of a worker, for a process of their own. `version`: of their code. */
export function ownHandlers(
  world: World,
  process: SimProcess,
  { worker, version = 2, client = world.client(process) }: { worker: string; version?: 1 | 2; client?: JobClient },
): ReadonlyMap<string, HandledJob> {
  const { checks } = world;
  return handlersOf({
    process,
    ledger: checks.ledger,
    limits: checks.limits,
    schedules: checks.schedules,
    client,
    worker,
    version,
    died: () => void checks.poisonDeaths++,
    callOut: callOut(world, process),
    payloads: worldHas('porter', world.options.seed) ? world.payloads.of(process) : undefined,
    accepted: (id) => checks.accept(id),
  });
}
