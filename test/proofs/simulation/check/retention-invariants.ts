import { MAX_CLOCK_SKEW_MS } from '../../../../shared/job/lease.ts';
import { ERROR_GROUPS } from '../../../../shared/features/error-groups/store/error-group-rows.ts';
import type { Row } from '../../../../shared/ports/tables.ts';
import type { Mutation } from '../world/observed-store.ts';
import type { Violations } from './violations.ts';

const DAY_MS = 86_400_000;
const RULE = 'retention#';
/** A run of the sweeper goes by the rules that it read at its beginning, also after a pause. */
const READ_MS = 30 * 60_000;

/** The days of a rule from an instant on; absent: none. */
interface Since {
  readonly at: number;
  readonly days: number | undefined;
}

/** The sweeper removes a dead letter only if a rule says so, its group is nobody's, and the audit names it. */
export class RetentionInvariants {
  readonly #violations: Violations;
  readonly #rules = new Map<string, readonly Since[]>();
  readonly #groups = new Map<string, Row>();

  constructor(violations: Violations) {
    this.#violations = violations;
  }

  see({ by, at, changes }: Mutation): void {
    for (const { table, key, after } of changes) {
      if (table !== 'control') continue;
      const sk = String(key['sk']);
      if (key['pk'] === ERROR_GROUPS && after !== undefined) this.#groups.set(sk, after);
      if (sk.startsWith(RULE)) this.#seeRule(sk.slice(RULE.length), { at, days: after === undefined ? undefined : Number(after['days']) });
    }
    if (by.role !== 'sweeper') return;
    for (const { table, before, after } of changes) {
      if (table !== 'deadLetters' || before === undefined || after !== undefined) continue;
      const audit = changes.find((change) => change.after?.['verb'] === 'retention' && change.after['jobId'] === before['id']);
      this.#seeRemoval(before, at, audit !== undefined);
    }
  }

  #seeRule(scope: string, since: Since): void {
    this.#rules.set(scope, [...(this.#rules.get(scope) ?? []), since]);
  }

  #seeRemoval(dead: Row, at: number, recorded: boolean): void {
    const { id, type, failedAt, fingerprint } = dead;
    const least = Math.min(
      ...this.#ruled(`type#${String(type)}`, at)
        .flatMap((days) => (days === undefined ? this.#ruled('all', at) : [days]))
        .map((days) => days ?? Number.POSITIVE_INFINITY),
    );
    const age = at + MAX_CLOCK_SKEW_MS - Date.parse(String(failedAt));
    if (age < least * DAY_MS)
      this.#add(`${String(id)} of ${String(type)} was removed after ${Math.floor(age / 60_000)} minutes, kept for ${least} days`);
    const { note, owner } = this.#groups.get(String(fingerprint)) ?? {};
    if (note !== undefined || owner !== undefined)
      this.#add(`${String(id)} was removed, its error group is that of ${String(owner ?? note)}`);
    if (!recorded) this.#add(`${String(id)} was removed, and the audit does not name it`);
  }

  /** What a rule said lately, oldest first; undefined where there was none. */
  #ruled(scope: string, now: number): readonly (number | undefined)[] {
    const all: readonly Since[] = [{ at: Number.NEGATIVE_INFINITY, days: undefined }, ...(this.#rules.get(scope) ?? [])];
    return all.filter((_, index) => (all[index + 1]?.at ?? Number.POSITIVE_INFINITY) > now - READ_MS).map(({ days }) => days);
  }

  #add(what: string): void {
    this.#violations.add('retention-kept', what);
  }
}
