import { defined } from '../shared/job/defined.ts';
import { InvalidInputError } from '../shared/job/errors.ts';
import { checkOptions, checkText } from '../shared/job/names.ts';
import { readRules } from '../shared/features/rules/store/rules.ts';
import { markSwitched, switchedOff } from '../shared/features/rules/store/switched-off.ts';
import { actorOf, type AuditContext } from '../shared/operator/act.ts';
import type { AdminDeps } from './admin-deps.ts';
import { recordWrites } from '../shared/features/operator-records.ts';

/** What is done to a deployment as a whole. */
export type Switching = 'activate' | 'deactivate';

/** Details of the entry; `detail`: the result. */
export type SwitchingContext = AuditContext & { readonly detail?: string };

/** Who switched a deployment off, when and why. */
export interface DeploymentOff {
  readonly actor: string;
  readonly at: Date;
  readonly reason?: string;
}

/** The verbs of a deployment as a whole. */
export interface SwitchVerbs {
  /**
   * Marks the deployment as switched off or on, with an entry in the audit. While it is off, executors, acquirer and sweeper do nothing, even if a deployment of
   * the stack switches event sources or schedules on again. These are `createActivation`'s: deactivate with it first and then here, because messages that executors
   * receive while the mark is set are acknowledged; activate here first. Executors follow within five seconds.
   */
  switchDeployment(switching: Switching, context?: SwitchingContext): Promise<void>;
  /** The mark; undefined while the deployment is on. */
  deploymentOff(): Promise<DeploymentOff | undefined>;
}

/** Creates the verbs. */
export function switchVerbs(deps: AdminDeps): SwitchVerbs {
  return {
    switchDeployment: async (switching, context = {}) => switchDeployment(deps, switching, context),
    async deploymentOff() {
      const off = switchedOff((await readRules(deps.tables, true)).rules);
      return off && { ...off, at: new Date(off.at) };
    },
  };
}

async function switchDeployment(deps: AdminDeps, switching: Switching, context: SwitchingContext): Promise<void> {
  if (switching !== 'activate' && switching !== 'deactivate') {
    throw new InvalidInputError('switching', switching, "Use 'activate' or 'deactivate'.");
  }
  checkOptions(context, ['actor', 'reason', 'detail'], 'options');
  const [reason, detail] = [checkText(context.reason, 'reason'), checkText(context.detail, 'detail')];
  const [actor, at, token] = [actorOf(deps, context.actor), deps.clock.now(), deps.entropy.token()];
  // `activate` alone is what ends a suspension.
  const verb = `deployment.${switching}`;
  const records = recordWrites({ verb, actor, at, ...defined({ reason, detail }) }, token);
  const off = switching === 'deactivate' ? { actor, at, ...defined({ reason }) } : undefined;
  await markSwitched(deps.tables, off, { verb, scope: 'deployment', token, records });
}
