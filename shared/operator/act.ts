import { defined } from '../job/defined.ts';
import { checkOptions, checkText } from '../job/names.ts';
import type { OperatorAct } from '../ports/operator-act.ts';
import type { OperatorDeps } from './operator-deps.ts';

/** The actor and the reason, for the audit. */
export interface AuditContext {
  readonly actor?: string;
  readonly reason?: string;
}

/** The actor: that of the call, or of the admin. */
export function actorOf(deps: Pick<OperatorDeps, 'actor'>, given: string | undefined): string {
  return checkText(given, 'actor') ?? deps.actor ?? 'operator';
}

/** The actor and the reason of a call, without empty texts. Throws InvalidInputError for an option that is neither of them nor in `more`. */
export function checkContext(context: AuditContext = {}, more: readonly string[] = []): AuditContext {
  checkOptions(context, ['actor', 'reason', ...more], 'options');
  return defined({ actor: checkText(context.actor, 'actor'), reason: checkText(context.reason, 'reason') });
}

/** What a verb says of its act. */
type SaidOfAct = Pick<OperatorAct, 'verb' | 'scope'> & { readonly detail?: string | undefined };

/** The act of a verb that takes an actor and a reason and nothing else, as of now. Throws InvalidInputError for another option. */
export function actOf(deps: Pick<OperatorDeps, 'actor' | 'clock'>, { detail, ...said }: SaidOfAct, context?: AuditContext): OperatorAct {
  const { actor, reason } = checkContext(context);
  return { ...said, at: deps.clock.now(), actor: actorOf(deps, actor), ...defined({ reason, detail }) };
}
