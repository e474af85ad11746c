import type { JobEntry, Step } from './job-book.ts';
import type { Violations } from './violations.ts';

/** Checks that two jobs that live never hold the same unique key, if it lasts as long as they do. */
export class KeyBook {
  readonly #violations: Violations;
  readonly #holders = new Map<string, Set<JobEntry>>();

  constructor(violations: Violations) {
    this.#violations = violations;
  }

  see({ entry, from, to, after }: Step): void {
    const key = after?.['key'];
    if (typeof key !== 'string' || after?.['keyExpiresAt'] !== undefined || to === 'dead') return;
    if (from !== 'none' && from !== 'dead') return;
    const name = `${String(after?.['type'])}/${key}`;
    const holders = this.#holders.get(name) ?? new Set();
    this.#holders.set(name, holders.add(entry));
    const living = [...holders].filter(({ state }) => state !== 'finished' && state !== 'dead');
    if (living.length > 1) this.#violations.add('key-unique', `${living.map(({ id }) => id).join(' and ')} live with key ${key}`);
  }
}
