import type { SimProcess } from '../world/sim-process.ts';

/** How much had gone wrong in a process, each time it was looked at. */
export class Troubles {
  readonly #looks = new Map<SimProcess, { readonly at: number; readonly trouble: number }[]>();

  /** Whether a request of the process failed, or it stood still, since an instant; also if it was not looked at before that. */
  since(by: SimProcess, from: number, now: number): boolean {
    const trouble = by.troubles + by.pauses;
    const looks = this.#looks.get(by) ?? [{ at: Number.NEGATIVE_INFINITY, trouble: 0 }];
    this.#looks.set(by, [...looks.slice(-50), { at: now, trouble }]);
    return looks.findLast(({ at }) => at <= from)?.trouble !== trouble;
  }
}
