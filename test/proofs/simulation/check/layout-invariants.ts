import { OF_TOMORROW } from '../faults/two-layouts.ts';
import type { Step } from './job-tracker.ts';
import type { Violations } from './violations.ts';

/** What another version of the code wrote can be read, and stays with its job wherever it moves. */
export class LayoutInvariants {
  readonly #violations: Violations;

  constructor(violations: Violations) {
    this.#violations = violations;
  }

  see({ entry: { id, spoiled }, verb, before, after }: Step): void {
    if (after?.['reason'] === 'unreadable' && before?.['reason'] !== 'unreadable' && spoiled === undefined) {
      this.#violations.add('row-readable', `${id} is unreadable to ${verb}, though nobody wrote its row by hand`);
    }
    if (before?.[OF_TOMORROW] === undefined || after === undefined || after['reason'] === 'unreadable' || verb === 'replace') return;
    if (after[OF_TOMORROW] === undefined) this.#violations.add('layout-kept', `${id}: ${verb} dropped an attribute of another version`);
  }
}
