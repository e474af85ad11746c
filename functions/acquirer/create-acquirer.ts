import middy, { type MiddyfiedHandler } from '@middy/core';
import { connectAws, createAwsClients, invocationOf, type LambdaContext } from '../../shared/aws/connect.ts';
import { decodeEnvironment } from '../../shared/config/environment.ts';
import { systemClock, systemEntropy, systemEnvironment } from '../../shared/config/system.ts';
import { InvalidInputError } from '../../shared/core/errors.ts';
import { createPowertoolsJournal } from '../../shared/observability/powertools-journal.ts';
import type { Journal } from '../../shared/ports/journal.ts';
import { type AcquirerReport, type AcquirerShare, acquireTimers } from './acquire-timers.ts';

/** Options of an acquirer; all have defaults. */
export interface AcquirerOptions {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly journal?: Journal;
}

/** A tick: which share of the shards it is for. Without a share all of them. */
export interface AcquirerTick {
  readonly acquirer?: number;
  readonly of?: number;
}

/** The acquirer Lambda: fires due timers at each tick. */
export function createAcquirer(options: AcquirerOptions = {}): MiddyfiedHandler<AcquirerTick, AcquirerReport> {
  const start = (): { deployment: ReturnType<typeof decodeEnvironment>; clients: ReturnType<typeof createAwsClients> } => ({
    deployment: decodeEnvironment(options.environment ?? systemEnvironment()),
    clients: createAwsClients(options.environment),
  });
  let started: ReturnType<typeof start> | undefined;
  const run = async (tick: AcquirerTick, context: LambdaContext): Promise<AcquirerReport> => {
    started ??= start();
    const { deployment, clients } = started;
    const [clock, entropy] = [systemClock, systemEntropy];
    const invocation = invocationOf(context, clock);
    const journal = options.journal ?? createPowertoolsJournal({ metrics: deployment.metrics, service: 'acquirer' });
    const { tables, hints } = connectAws(clients, deployment, { clock, entropy, deadlineAt: invocation.deadlineAt });
    try {
      return await acquireTimers({ deployment, tables, hints, journal, clock, entropy }, shareOf(tick), invocation);
    } finally {
      journal.flush();
    }
  };
  return middy({ timeoutEarlyInMillis: 0 }).handler(run as never) as unknown as MiddyfiedHandler<AcquirerTick, AcquirerReport>;
}

function shareOf(tick: AcquirerTick): AcquirerShare {
  const { acquirer = 0, of = 1 } = tick ?? {};
  if (!Number.isInteger(of) || of < 1 || of > 64) throw new InvalidInputError('of', of, 'Use a whole number from 1 to 64.');
  if (!Number.isInteger(acquirer) || acquirer < 0 || acquirer >= of) throw new InvalidInputError('acquirer', acquirer, `Use a whole number from 0 to ${of - 1}.`);
  return { acquirer, of };
}
