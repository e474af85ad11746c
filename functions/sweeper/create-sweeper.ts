import middy, { type MiddyfiedHandler } from '@middy/core';
import { type AwsClients, connectAws, createAwsClients, invocationOf, type LambdaContext } from '../../shared/aws/connect.ts';
import { type Deployment, decodeEnvironment } from '../../shared/config/environment.ts';
import { systemClock, systemEntropy, systemEnvironment } from '../../shared/config/system.ts';
import { createPowertoolsJournal } from '../../shared/observability/powertools-journal.ts';
import type { Journal } from '../../shared/ports/journal.ts';
import { sweep, type SweepReport } from './sweep.ts';

/** Options of a sweeper; all have defaults. */
export interface SweeperOptions {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly journal?: Journal;
}

/** The sweeper Lambda: settles leases that ran out at each tick. What the tick says does not matter. */
export function createSweeper(options: SweeperOptions = {}): MiddyfiedHandler<unknown, SweepReport> {
  let started: { deployment: Deployment; clients: AwsClients } | undefined;
  const run = async (_tick: unknown, context: LambdaContext): Promise<SweepReport> => {
    started ??= { deployment: decodeEnvironment(options.environment ?? systemEnvironment()), clients: createAwsClients(options.environment) };
    const { deployment, clients } = started;
    const [clock, entropy] = [systemClock, systemEntropy];
    const invocation = invocationOf(context, clock);
    const journal = options.journal ?? createPowertoolsJournal({ metrics: deployment.metrics, service: 'sweeper' });
    const { tables, hints } = connectAws(clients, deployment, { clock, entropy, deadlineAt: invocation.deadlineAt });
    try {
      return await sweep({ deployment, tables, hints, backlog: hints, journal, clock, entropy }, invocation);
    } finally {
      journal.flush();
    }
  };
  return middy({ timeoutEarlyInMillis: 0 }).handler(run as never) as unknown as MiddyfiedHandler<unknown, SweepReport>;
}
