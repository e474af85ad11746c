import type { SimProcess } from '../world/sim-process.ts';
import type { World } from '../world/world.ts';
import { JobBook } from './job-book.ts';
import { KeyBook } from './key-book.ts';
import { Leases } from './leases.ts';
import { RunLedger } from './run-ledger.ts';
import { type Rule, Violations } from './violations.ts';

/** Everything that watches a world, wired together. */
export class Checks {
  readonly violations: Violations;
  readonly book: JobBook;
  readonly leases: Leases;
  readonly ledger: RunLedger;
  /** Ids whose enqueue was accepted. */
  readonly accepted = new Set<string>();
  poisonDeaths = 0;

  constructor(world: World, forgiven: readonly Rule[]) {
    this.violations = new Violations(() => world.time.now, forgiven);
    this.book = new JobBook(this.violations);
    this.leases = new Leases(this.book, this.violations);
    this.ledger = new RunLedger(this.violations, this.leases, () => world.time.now);
    const keys = new KeyBook(this.violations);
    this.book.watch((step) => {
      this.ledger.see(step);
      keys.see(step);
    });
    world.store.watch((mutation) => {
      this.leases.see(mutation);
      this.book.see(mutation);
    });
  }

  accept(id: string): void {
    this.accepted.add(id);
    if (!this.book.jobs.has(id)) this.violations.add('nothing-lost', `${id} was accepted, but no row was ever written`);
  }

  /** After an invocation that ended well and whose requests were all answered: it must hold nothing any more. */
  afterInvocation(process: SimProcess): void {
    for (const { id, owner, state } of this.book.jobs.values()) {
      if (owner === process && state === 'running')
        this.violations.add('nothing-abandoned', `${id} is still leased to ${process.name}, which ended`);
    }
    for (const [pk, { by }] of this.leases.groups) {
      if (by === process) this.violations.add('nothing-abandoned', `${pk} is still locked by ${process.name}, which ended`);
    }
  }
}
