import type { Action } from './page.ts';

/** Every action, by the name under which it is posted. */
export const ACTIONS: readonly Action[] = [];
