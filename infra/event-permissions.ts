import type { Permissions } from './permissions.ts';
import type { DeploymentReferences } from './references.ts';

/** Permissions to write the event log. */
export const EVENT_LOG_PERMISSIONS: Permissions = { tables: { history: ['BatchWriteItem'] } };

/** Permissions to read the operators' switch. */
export const EVENT_SWITCH_PERMISSIONS: Permissions = { tables: { control: ['Query'] } };

/** Additional permissions to publish events: none if the deployment has no events. */
export function eventPermissions({ events }: Pick<DeploymentReferences, 'events'>): readonly Permissions[] {
  if (events === undefined) return [];
  return [...(events.log === true ? [EVENT_LOG_PERMISSIONS] : []), EVENT_SWITCH_PERMISSIONS];
}
