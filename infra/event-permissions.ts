import type { Permissions } from './permissions.ts';
import type { DeploymentReferences } from './references.ts';

/** What keeping the event log takes. */
export const EVENT_LOG_PERMISSIONS: Permissions = { tables: { history: ['BatchWriteItem'] } };

/** What reading the operators' switch takes. */
export const EVENT_SWITCH_PERMISSIONS: Permissions = { tables: { control: ['Query'] } };

/** What telling events takes besides a role's own permissions: nothing where a deployment has none. */
export function eventPermissions({ events }: Pick<DeploymentReferences, 'events'>): readonly Permissions[] {
  if (events === undefined) return [];
  return [...(events.log === true ? [EVENT_LOG_PERMISSIONS] : []), EVENT_SWITCH_PERMISSIONS];
}
