import { defined } from '../core/defined.ts';
import { InvalidInputError } from '../core/errors.ts';
import { checkOptions, checkText } from '../core/names.ts';
import { audit } from '../features/audit/store/audit.ts';
import type { AdminDeps } from './admin-deps.ts';
import type { AuditContext } from './change-job.ts';
import { actorOf } from '../features/rules/admin/rule-verbs.ts';

/** What was done to a deployment as a whole. */
export type Switching = 'activate' | 'deactivate';

/** What there is to say of it; `detail`: how it went. */
export type SwitchingTold = AuditContext & { readonly detail?: string };

/** Writes down that somebody switched the deployment on or off. */
export async function auditActivation(deps: AdminDeps, switching: Switching, told: SwitchingTold = {}): Promise<void> {
  if (switching !== 'activate' && switching !== 'deactivate') {
    throw new InvalidInputError('switching', switching, "Use 'activate' or 'deactivate'.");
  }
  checkOptions(told, ['actor', 'reason', 'detail'], 'options');
  const [reason, detail] = [checkText(told.reason, 'reason'), checkText(told.detail, 'detail')];
  const entry = {
    // `activate` alone is what ends a suspension.
    verb: `deployment.${switching}`,
    actor: actorOf(deps, told.actor),
    at: deps.clock.now(),
    ...defined({ reason, detail }),
  };
  await audit(deps.tables, entry, deps.entropy.token());
}
