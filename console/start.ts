import { systemClock, systemEntropy } from '../shared/adapters/system.ts';
import type { Admin } from '../operate/admin.ts';
import { createAdmin } from '../operate/create-admin.ts';
import { defined } from '../shared/job/defined.ts';
import { InvalidInputError } from '../shared/job/errors.ts';
import { bulkRunsOf } from './bulk-runs.ts';
import { eraseRunsOf } from './erase-runs.ts';
import type { Session } from './page.ts';
import { startServer } from './server.ts';

/** Options of a console: a deployment's environment, or an existing admin. */
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
  /** The actor, for the audit. Default `console`. */
  readonly actor?: string;
  /** Names of payload fields that are not shown. */
  readonly redact?: readonly string[];
  /** Receives unexpected failures in full. */
  readonly onProblem?: (what: string, error: unknown) => void;
  readonly now?: () => number;
}

/** A console that runs. */
export interface RunningConsole {
  /** Signs one browser in, once. */
  readonly url: string;
  /** Another such address; the previous one is revoked if it was not opened. */
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
    // Bulk actions and erasures stop after their current step; they can be resumed from a new console.
    await Promise.all([server.close(), bulkRunsOf({ admin }).close(), eraseRunsOf({ admin }).close()]);
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
