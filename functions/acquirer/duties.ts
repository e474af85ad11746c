import type { AcquirerShare } from './acquirer-share.ts';
import type { AcquirerDeps } from './deps.ts';
import { releaseParked } from './duties/release-parked.ts';

/** A task that an acquirer performs in each run after its timers. */
export interface AcquirerDuty {
  /** Journalled as the reason if the duty fails. */
  readonly name: string;
  /** Starts nothing new after `stopAt`, in epoch milliseconds. Returns how many jobs it released. */
  readonly run: (deps: AcquirerDeps, share: AcquirerShare, stopAt: number) => Promise<number>;
}

/** In order. If one fails, the next ones still run. */
export const ACQUIRER_DUTIES: readonly AcquirerDuty[] = [{ name: 'parked', run: releaseParked }];
