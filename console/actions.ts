import { BATCH_ACTIONS } from './actions/batch-actions.ts';
import { BULK_ACTIONS } from './actions/bulk-actions.ts';
import { ERASE_ACTIONS } from './actions/erase-actions.ts';
import { GROUP_ACTIONS } from './actions/group-actions.ts';
import { JOB_ACTIONS } from './actions/job-actions.ts';
import { LIMIT_ACTIONS } from './actions/limit-actions.ts';
import { PAYLOAD_ACTIONS } from './actions/payload-actions.ts';
import { PRIORITY_ACTIONS } from './actions/priority-actions.ts';
import { RETENTION_ACTIONS } from './actions/retention-actions.ts';
import { RULE_ACTIONS } from './actions/rule-actions.ts';
import { SCHEDULE_ACTIONS } from './actions/schedule-actions.ts';
import type { Action } from './page.ts';

/** Every action, by the name under which it is posted. */
export const ACTIONS: readonly Action[] = [
  ...JOB_ACTIONS,
  ...PAYLOAD_ACTIONS,
  ...BULK_ACTIONS,
  ...BATCH_ACTIONS,
  ...RULE_ACTIONS,
  ...PRIORITY_ACTIONS,
  ...SCHEDULE_ACTIONS,
  ...ERASE_ACTIONS,
  ...RETENTION_ACTIONS,
  ...LIMIT_ACTIONS,
  ...GROUP_ACTIONS,
];
