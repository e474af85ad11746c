import type { WorkerQueues } from '../config/environment.ts';
import { defined } from '../job/defined.ts';
import type { EnqueueOptions } from '../job/enqueue-options.ts';
import { InvalidInputError } from '../job/errors.ts';
import type { Job } from '../job/job.ts';
import type { AnyJobType, JobTraits } from '../job/job-type.ts';
import { type CheckedGroup, checkGroup } from '../job/group.ts';
import { checkFlag, checkPriority, checkText } from '../job/names.ts';
import { formatRetryPolicy, parseRetryPolicy } from '../job/retry-policy.ts';
import type { JobScope } from '../ports/job-scope.ts';

/** The sources of a job's traits in addition to options and type: the job in whose handler it is enqueued, and the worker. */
export interface DraftSources {
  readonly parent: JobScope | undefined;
  readonly queues: Pick<WorkerQueues, 'priority'> | undefined;
  /** Where the job stands in a group with an order. */
  readonly place: string;
  /** The tenant of a client for a single tenant. */
  readonly tenant: string | undefined;
}

type GroupTraits = Pick<Job, 'group' | 'exclusive' | 'groupPlace' | 'inheritGroup'>;
type Traits = GroupTraits & Pick<Job, 'priority' | 'priorityFrom' | 'retry'>;

/** Group, priority and retry of a job: from the options, then the type, then the parent or the worker. */
export function traitsOf(type: AnyJobType, options: EnqueueOptions, output: unknown, { parent, queues, place }: DraftSources): Traits {
  const own = type.traits(output);
  const retry = options.retry === undefined ? own.retry : formatRetryPolicy(parseRetryPolicy(options.retry));
  return { ...priorityOf(options, own, { parent, queues }), ...groupOf(options, own, { parent, place }), ...defined({ retry }) };
}

function priorityOf(
  options: EnqueueOptions,
  own: JobTraits,
  { parent, queues }: Pick<DraftSources, 'parent' | 'queues'>,
): Pick<Job, 'priority' | 'priorityFrom'> {
  const inherits = checkFlag(options.inheritPriority, 'inheritPriority') === true && parent !== undefined;
  if (options.priority !== undefined) return { priority: checkPriority(options.priority), priorityFrom: 'option' };
  if (inherits) return { priority: parent.priority, priorityFrom: 'option' };
  if (own.priority !== undefined) return { priority: own.priority, priorityFrom: 'type' };
  return queues?.priority === undefined ? { priority: 0 } : { priority: queues.priority, priorityFrom: 'worker' };
}

/**
 * A named group takes precedence over an inherited one, and an option over the type. An inherited group is passed on: jobs that a
 * chain of handlers enqueues stay in the group of the first.
 */
function groupOf(options: EnqueueOptions, own: JobTraits, { parent, place }: Pick<DraftSources, 'parent' | 'place'>): GroupTraits {
  const asked = checkFlag(options.inheritGroup, 'inheritGroup');
  const inherits = asked ?? own.inheritGroup ?? parent?.inheritGroup ?? false;
  const inherited: CheckedGroup | undefined =
    inherits && parent?.group !== undefined
      ? { group: parent.group, ...(parent.groupPlace === undefined ? {} : { blocks: true }) }
      : undefined;
  const ofType = own.group === undefined ? undefined : own;
  const open = (asked === true ? (inherited ?? ofType) : (ofType ?? inherited)) ?? {};
  const { group, blocks } = options.group === undefined ? open : checkGroup(options.group);
  const label = inherited !== undefined && group === inherited.group ? parent?.exclusive : undefined;
  const exclusive = checkFlag(options.exclusive, 'exclusive') ?? label ?? true;
  if (blocks && !exclusive) {
    throw new InvalidInputError('exclusive', false, "Leave it out: with onFailure: 'block' the jobs of a group run one after another.");
  }
  return {
    ...defined({ group }),
    ...(blocks ? { groupPlace: place } : {}),
    ...(group === undefined || exclusive ? {} : { exclusive }),
    ...(inherits ? { inheritGroup: true } : {}),
  };
}

/** Tenant and correlation of a job; a client for one tenant refuses another. */
export function textsOf(
  options: EnqueueOptions,
  { parent, tenant: only }: Pick<DraftSources, 'parent' | 'tenant'>,
): Pick<Job, 'tenant' | 'correlationId'> {
  const given = options.tenant === undefined ? (only ?? parent?.tenant) : checkText(options.tenant, 'tenant');
  if (only !== undefined && given !== only) {
    throw new InvalidInputError('tenant', options.tenant, `This client works for tenant ${JSON.stringify(only)} alone. Leave tenant out.`);
  }
  const correlationId = options.correlationId === undefined ? parent?.correlationId : checkText(options.correlationId, 'correlationId');
  return defined({ tenant: given, correlationId });
}
