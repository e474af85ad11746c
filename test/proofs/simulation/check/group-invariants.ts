import { ERROR_GROUPS } from '../../../../shared/features/error-groups/store/error-group-rows.ts';
import { GROUP_REFUSED } from '../../../../shared/features/error-groups/store/error-groups.ts';
import type { Mutation } from '../world/observed-store.ts';
import type { SimProcess } from '../world/sim-process.ts';
import type { Violations } from './violations.ts';

/** No dead letter lies there that no error group leads to: its group has a row before, unless the store refused that one. */
export class GroupInvariants {
  readonly #violations: Violations;
  readonly #groups = new Set<string>();
  readonly #refused = new Map<SimProcess, Set<string>>();

  constructor(violations: Violations) {
    this.#violations = violations;
  }

  /** Shown each reason that a process journals. */
  told(by: SimProcess, reason: string): void {
    if (!reason.startsWith(GROUP_REFUSED)) return;
    const refused = this.#refused.get(by) ?? new Set();
    this.#refused.set(by, refused.add(reason.slice(GROUP_REFUSED.length)));
  }

  see({ by, changes }: Mutation): void {
    for (const { table, key, before, after } of changes) {
      if (table === 'control' && key['pk'] === ERROR_GROUPS && after !== undefined) this.#groups.add(String(key['sk']));
      if (table !== 'deadLetters' || before !== undefined || after === undefined) continue;
      const fingerprint = String(after['fingerprint']);
      if (this.#groups.has(fingerprint) || this.#refused.get(by)?.has(fingerprint)) continue;
      this.#violations.add('group-before-burial', `${String(after['id'])} is dead of ${fingerprint}, which has no error group`);
    }
  }
}
