import { ERROR_GROUPS } from '../../../../shared/features/error-groups/store/error-group-rows.ts';
import { GROUP_REFUSED } from '../../../../shared/features/error-groups/store/error-groups.ts';
import { GROUP_WRITE_EVERY_MS } from '../../../../shared/features/error-groups/store/error-group-sums.ts';
import { MAX_CLOCK_SKEW_MS } from '../../../../shared/job/lease.ts';
import type { Row } from '../../../../shared/ports/tables.ts';
import type { Mutation } from '../world/observed-store.ts';
import type { SimProcess } from '../world/sim-process.ts';
import type { Violations } from './violations.ts';

/** A process that wrote a group counts the deaths of this long by itself, before it writes the next. */
const SUMMED_MS = GROUP_WRITE_EVERY_MS + 2 * MAX_CLOCK_SKEW_MS;
/** A death that is older when it is recorded does not show when the group was last seen. */
const RECENT_MS = 40_000;

/**
 * No dead letter lies there that no error group leads to: its group has a row before, unless the store refused that one. A group that was
 * resolved shows it when a job dies of it again, and does not forget that.
 */
export class GroupInvariants {
  readonly #violations: Violations;
  readonly #groups = new Map<string, Row>();
  readonly #refused = new Map<SimProcess, Set<string>>();
  /** When a process last wrote a group. */
  readonly #wroteAt = new Map<SimProcess, Map<string, number>>();

  constructor(violations: Violations) {
    this.#violations = violations;
  }

  /** Shown each reason that a process journals. */
  told(by: SimProcess, reason: string): void {
    if (!reason.startsWith(GROUP_REFUSED)) return;
    const refused = this.#refused.get(by) ?? new Set();
    this.#refused.set(by, refused.add(reason.slice(GROUP_REFUSED.length)));
  }

  see({ by, at, changes }: Mutation): void {
    for (const { table, key, before, after } of changes) {
      if (table === 'control' && key['pk'] === ERROR_GROUPS && after !== undefined) this.#seeGroup(by, at, { before, after });
      if (table !== 'deadLetters' || before !== undefined || after === undefined) continue;
      const fingerprint = String(after['fingerprint']);
      if (this.#refused.get(by)?.has(fingerprint)) continue;
      const group = this.#groups.get(fingerprint);
      if (group === undefined)
        this.#violations.add('group-before-burial', `${String(after['id'])} is dead of ${fingerprint}, which has no error group`);
      else if (at - (this.#wroteAt.get(by)?.get(fingerprint) ?? Number.NEGATIVE_INFINITY) > SUMMED_MS) this.#seeDeath(group, after, at);
    }
  }

  #seeGroup(by: SimProcess, at: number, { before, after }: { readonly before: Row | undefined; readonly after: Row }): void {
    const fingerprint = String(after['sk']);
    this.#groups.set(fingerprint, after);
    if (by.role !== 'admin') {
      const wrote = this.#wroteAt.get(by) ?? new Map<string, number>();
      this.#wroteAt.set(by, wrote.set(fingerprint, at));
    }
    const [was, is] = [String(before?.['lastSeen'] ?? ''), String(after['lastSeen'])];
    if (is < was) this.#violations.add('group-reopens', `${fingerprint} was last seen at ${was}, and after ${by.name} at ${is}`);
  }

  #seeDeath(group: Row, { id, errorAt }: Row, at: number): void {
    const { resolvedAt, lastSeen, sk } = group;
    if (resolvedAt === undefined || errorAt === undefined || at - Date.parse(String(errorAt)) > RECENT_MS) return;
    if (String(errorAt) > String(resolvedAt) && !(String(lastSeen) > String(resolvedAt)))
      this.#violations.add('group-reopens', `${String(id)} died of ${String(sk)} after it was resolved, which looks resolved`);
  }
}
