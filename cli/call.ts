import type { CommandIo } from './command-io.ts';
import type { OpenDeployment } from './deployments/open-deployment.ts';
import type { Show } from './show.ts';

/** One call of a verb: its arguments, options and dependencies. */
export interface Call {
  readonly io: CommandIo;
  readonly show: Show;
  /** As typed: `jobs list`. */
  readonly path: string;
  /** The positional arguments. */
  readonly args: readonly string[];
  /** The actor, for the audit. */
  readonly actor: string;
  /** The value of an option by its name in camelCase; throws UsageError for one that cannot be read. */
  text(name: string): string | undefined;
  texts(name: string): readonly string[] | undefined;
  on(name: string): boolean;
  /** For `--no-<name>`. */
  off(name: string): boolean;
  whole(name: string): number | undefined;
  number(name: string): number | undefined;
  /** A bare length of time, `2h`, counts back or ahead from now. */
  instant(name: string, bare: 'ago' | 'ahead'): number | undefined;
  date(name: string, bare: 'ago' | 'ahead'): Date | undefined;
  duration(name: string): number | undefined;
  /** The deployments that the call is about. */
  deployments(): Promise<readonly OpenDeployment[]>;
  /** The only one; throws UsageError where several are named. */
  deployment(): Promise<OpenDeployment>;
}
