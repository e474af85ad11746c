import { checkChoice } from '../../shared/config/deployment-checks.ts';
import { HISTORY_MODES } from '../../shared/config/environment.ts';
import { LANE_CHECKS } from '../../shared/job/lanes.ts';
import {
  checkedInUse,
  checkFunction,
  checkSwitch,
  eachOf,
  listOf,
  nested,
  type OptionCheck,
  type OptionChecks,
} from '../../shared/job/option-checks.ts';
import { checkPriority } from '../../shared/job/names.ts';
import { CONNECTION_CHECKS } from '../../shared/ports/connection-checks.ts';
import { HANDLER_CHECKS } from '../../functions/executor/configure-executor.ts';
import type { KitWorkerOptions, TestKitOptions } from './kit-options.ts';

/** The lanes of the construct can be given as they are: the kit has no use for what only concerns Lambda. */
const KIT_LANE_CHECKS = { ...LANE_CHECKS, maxConcurrency: checkedInUse, batchSize: checkedInUse, pollers: checkedInUse };

const WORKER_CHECKS: OptionChecks<KitWorkerOptions> = {
  lanes: eachOf(nested(KIT_LANE_CHECKS), 'Give the lanes by name: { high: { from: 10 }, rest: { to: 9 } }.'),
  timersFirst: checkSwitch,
  priority: (field, value) => void checkPriority(value, field),
};
const byName = eachOf(nested(WORKER_CHECKS), "Give names, ['mail'], or the workers by name: { mail: {} }.");

/** How `drain` and `runJob` treat errors of handlers. */
export const checkErrors: OptionCheck = (field, value) => checkChoice(field, value, ['record', 'throw']);

const { sandbox: _ends, ...ATTEMPT_CHECKS } = HANDLER_CHECKS;

/** The checks of a test kit's options. */
export const KIT_CHECKS: OptionChecks<TestKitOptions> = {
  ...ATTEMPT_CHECKS,
  now: checkedInUse,
  seed: checkedInUse,
  settings: checkedInUse,
  history: (field, value) => checkChoice(field, value, HISTORY_MODES),
  workers: (field, value) => (Array.isArray(value) ? undefined : byName(field, value)),
  errors: checkErrors,
  maxRuns: checkedInUse,
  transact: checkFunction,
  onEvent: CONNECTION_CHECKS.onEvent,
  eventLog: checkSwitch,
  beforeCreate: listOf(checkFunction),
};
