import { type Region, startRegion } from '../../local/region.ts';
import { createJobClient } from '../../shared/client/create-job-client.ts';
import type { JobClient } from '../../shared/client/job-client.ts';
import { resolveSettings } from '../../shared/config/settings.ts';
import { systemEnvironment } from '../../shared/adapters/system.ts';
import type { HandledJob } from '../../shared/job/job-type.ts';
import { silentJournal } from '../../shared/adapters/observability/silent-journal.ts';
import type { Journal } from '../../shared/ports/journal.ts';
import { createExecutor } from '../../functions/executor/create-executor.ts';
import { startFauxqsProcess } from '../frame/fauxqs-process.ts';

/** The functions as deployed, behind event sources, with the settings of a deployment and without output. */
export interface BenchRegion {
  readonly region: Region;
  readonly client: JobClient;
  readonly stop: () => Promise<void>;
}

/** Options of a bench. */
interface BenchRegionOptions {
  /** 0: no ticks. */
  readonly tickMs: number;
  /** Overrides of a deployment's defaults. */
  readonly settings?: Readonly<Record<string, number>>;
  /** Receives the journal of acquirer and sweeper. */
  readonly journal?: Journal;
}

/** Starts it on emulators in processes of their own. */
export async function startBenchRegion(
  handlers: readonly HandledJob[],
  { tickMs, settings = {}, journal = silentJournal }: BenchRegionOptions,
): Promise<BenchRegion> {
  const queueing = await startFauxqsProcess();
  const quiet = (): void => {};
  const log = () => ({ debug: quiet, info: quiet, warn: quiet, error: quiet });
  try {
    const region = await startRegion({
      workers: {
        default: {
          groups: false,
          createExecutor: (environment, sandbox) => createExecutor(handlers, { environment, sandbox, journal: silentJournal, log }),
        },
      },
      settings: resolveSettings(settings),
      journal,
      hostEnvironment: { ...systemEnvironment(), AWS_ENDPOINT_URL_SQS: queueing.endpoint },
      tickMs,
    });
    return {
      region,
      client: createJobClient({ environment: region.environment, journal: silentJournal }),
      async stop() {
        await region.stop(5_000);
        await queueing.stop();
      },
    };
  } catch (error) {
    await queueing.stop();
    throw error;
  }
}
