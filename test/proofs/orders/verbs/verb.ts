import type { StateName } from '../situation.ts';
import type { Scene } from '../scene.ts';

export const ROLES = ['client', 'executor', 'acquirer', 'sweeper', 'operator', 'bulk', 'foreign', 'outside', 'neighbour'] as const;
export type Role = (typeof ROLES)[number];

/** Something that an actor does in a scene. Its answers are held against the store by what watches the world. */
export interface Verb {
  readonly name: string;
  readonly role: Role;
  /** It changes nothing, so that two of them need not meet. */
  readonly reads?: true;
  /** States of the job in which it does something; default: all. */
  readonly states?: readonly StateName[];
  /** Features without which it has nothing to do. */
  readonly fits?: (scene: Scene['situation']) => boolean;
  /** Brings what it needs into its scene, before anybody acts. */
  readonly prepare?: (scene: Scene) => Promise<Scene>;
  readonly act: (scene: Scene) => Promise<unknown>;
}
