import { systemClock, systemEntropy } from '../shared/config/system.ts';
import type { Admin } from '../shared/admin/admin.ts';
import { createAdmin } from '../shared/admin/create-admin.ts';
import { defined } from '../shared/core/defined.ts';
import { InvalidInputError } from '../shared/core/errors.ts';
import { bulkRunsOf } from './bulk-runs.ts';
import type { Session } from './page.ts';
import { startServer } from './server.ts';

/** What a console is started with: a deployment's environment, or an admin that is there already. */
export interface StartConsoleOptions {
  readonly admin?: Admin;
  /** Read as `createAdmin` reads it. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Allows actions. Default false: the server refuses every one. */
  readonly write?: boolean;
  /** Default 0: a free port. */
  readonly port?: number;
  /** IANA name. Default: that of the machine. */
  readonly zone?: string;
  readonly place?: Session['place'];
  /** Who acts, for the audit. Default `console`. */
  readonly actor?: string;
  /** Names of payload fields that are not shown. */
  readonly redact?: readonly string[];
  /** Told of failures that nobody expected, in full. */
  readonly onProblem?: (what: string, error: unknown) => void;
  readonly now?: () => number;
}

/** A console that runs. */
export interface RunningConsole {
  /** Signs one browser in, once. */
  readonly url: string;
  /** Another such address; the one before it ends, if nobody opened it. */
  newLink(): string;
  readonly port: number;
  close(): Promise<void>;
}

/** Starts the console on 127.0.0.1. Throws for an unknown zone, a broken environment or a port that is taken. */
export async function startConsole(options: StartConsoleOptions): Promise<RunningConsole> {
  const { write = false, zone = machineZone(), place = { name: 'unnamed', production: false } } = options;
  const { actor = 'console', redact = [], now = () => systemClock.now() } = options;
  checkZone(zone);
  const { environment, onProblem, port } = options;
  const admin = options.admin ?? createAdmin({ actor, ...defined({ environment }) });
  const server = await startServer({
    session: { admin, place, write, actor, zone, now, redact, ...defined({ onProblem }) },
    entropy: systemEntropy,
    ...defined({ port }),
  });
  const close = async (): Promise<void> => {
    // Bulk actions stop after the page that they are at; whoever starts a console resumes them.
    await Promise.all([server.close(), bulkRunsOf({ admin }).close()]);
  };
  return { url: server.newLink(), newLink: () => server.newLink(), port: server.port, close };
}

const machineZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

function checkZone(zone: string): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone }).format(0);
  } catch (cause) {
    throw new InvalidInputError('zone', zone, "Use an IANA name, such as 'Europe/Berlin' or 'UTC'.", { cause });
  }
}
