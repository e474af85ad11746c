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

/** What a verb says of its act. */
type SaidOfAct = Pick<OperatorAct, 'verb' | 'scope'> & { readonly detail?: string | undefined };

/** The act of a verb that takes an actor and a reason and nothing else, as of now. Throws InvalidInputError for another option. */
export function actOf(
  deps: Pick<OperatorDeps, 'actor' | 'clock'>,
  { detail, ...said }: SaidOfAct,
  context: AuditContext = {},
): OperatorAct {
  checkOptions(context, ['actor', 'reason'], 'options');
  const reason = checkText(context.reason, 'reason');
  return { ...said, at: deps.clock.now(), actor: actorOf(deps, context.actor), ...defined({ reason, detail }) };
}
