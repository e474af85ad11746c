import type { Deployment } from '../config/environment.ts';
import { defined } from '../job/defined.ts';
import type { Journal } from '../ports/journal.ts';

/** Journals settings that this version does not know. A roll-back or an old client may meet them: it runs without them. */
export function reportUnknownSettings({ unknownSettings = [], worker }: Deployment, journal: Journal): void {
  if (unknownSettings.length === 0) return;
  const reason = `not known to this version and ignored: ${unknownSettings.join(', ')}`;
  journal.record({ event: 'unknown-settings', count: unknownSettings.length, reason, ...defined({ worker }) });
}
