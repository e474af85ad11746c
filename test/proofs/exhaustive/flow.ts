import type { Actor } from '../../../shared/core/transitions.ts';
import type { Deployment } from '../../../shared/config/environment.ts';
import type { ScriptedWorld } from './scripted-world.ts';

/** What a script acts in, and from when on the await points of the observed processes count. */
export interface Stage extends ScriptedWorld {
  /** From here on points are numbered. */
  observe(): void;
}

/** One way through the product as a script; its end, with everything that is then still to be done, is played by itself. */
export interface Flow {
  readonly name: string;
  /** Whose await points are numbered. */
  readonly observed: readonly Actor[];
  readonly settings?: Readonly<Record<string, number>>;
  readonly history?: Deployment['history'];
  /** Messages that an invocation gets; default: as many as there are. */
  readonly batch?: number;
  /** Who wins is a matter of milliseconds, so that a reply that comes later may change it. */
  readonly race?: true;
  readonly script: (stage: Stage) => Promise<void>;
}
