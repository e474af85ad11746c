import type { Deployment } from '../config/environment.ts';
import { defined } from '../job/defined.ts';
import type { Journal } from '../ports/journal.ts';

/** Journals each setting that this version does not know. A roll-back or an old client may meet them: it runs without them. */
export function reportUnknownSettings({ unknownSettings = [], worker }: Deployment, journal: Journal): void {
  for (const reason of unknownSettings) journal.record({ event: 'unknown-settings', reason, ...defined({ worker }) });
}
