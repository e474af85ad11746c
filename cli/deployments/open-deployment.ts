import type { ActivationTargets } from '../../operate/activation.ts';
import type { Admin } from '../../operate/admin.ts';
import type { Environment } from '../command-io.ts';

/** A deployment that a call is about. */
export interface OpenDeployment {
  /** As it is shown: its own name, or how it was named on the command line. */
  readonly name: string;
  /** The option that selects only this deployment, such as `--stack shop`; none for that of the environment. */
  readonly words: readonly string[];
  readonly environment: Environment;
  readonly admin: Admin;
  /** Its switch; known from a stack, or from NIGHTCREW_ACTIVATION. */
  readonly activation?: ActivationTargets;
}
