import type { Step } from './job-tracker.ts';
import type { Violations } from './violations.ts';

/** What a run leaves with `continueWith` stays with its job, and making room is no attempt. */
export class StateInvariants {
  readonly #violations: Violations;

  constructor(violations: Violations) {
    this.#violations = violations;
  }

  see({ entry: { id }, verb, before, after }: Step): void {
    if (before === undefined || after === undefined || after['reason'] === 'unreadable') return;
    if (verb === 'continue') {
      // In a row with a claim, a state that is in the row is marked.
      const { step } = JSON.parse(String(after['state'] ?? '{}').replace(/^=/, '')) as { readonly step?: number };
      if (step !== Number(after['continuations'])) {
        this.#violations.add('state-kept', `${id} has gone on ${after['continuations']} times, and its state says ${step}`);
      }
      if (Number(after['starts']) !== Number(before['starts']) - 1 || after['failures'] !== before['failures']) {
        this.#violations.add('state-kept', `${id}: making room counted as an attempt`);
      }
    } else if (after['state'] !== before['state'] && verb !== 'replace') {
      this.#violations.add('state-kept', `${id}: its state was ${before['state']}, ${verb} made it ${after['state']}`);
    }
  }
}
