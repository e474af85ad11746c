import type { Actor } from '../../../shared/job/transitions.ts';
import type { Deployment } from '../../../shared/config/environment.ts';
import type { ScriptedWorld } from './scripted-world.ts';

/** The world of a script, and the start of the observed await points. */
export interface Stage extends ScriptedWorld {
  /** From here on points are numbered. */
  observe(): void;
}

/** One way through the product as a script; its end, with everything that is then still to be done, is played by itself. */
export interface Flow {
  readonly name: string;
  /** The processes whose await points are numbered. */
  readonly observed: readonly Actor[];
  readonly settings?: Readonly<Record<string, number>>;
  readonly history?: Deployment['history'];
  /** Messages that an invocation gets; default: as many as there are. */
  readonly batch?: number;
  /** The winner depends on milliseconds, so a later reply may change it. */
  readonly race?: true;
  readonly script: (stage: Stage) => Promise<void>;
}
