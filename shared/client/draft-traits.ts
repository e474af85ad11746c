import type { WorkerQueues } from '../config/environment.ts';
import { defined } from '../core/defined.ts';
import type { EnqueueOptions } from '../core/enqueue-options.ts';
import { InvalidInputError } from '../core/errors.ts';
import type { Job } from '../core/job.ts';
import type { AnyJobType, JobTraits } from '../core/job-type.ts';
import { checkFlag, checkPriority, checkText } from '../core/names.ts';
import { formatRetryPolicy, parseRetryPolicy } from '../core/retry-policy.ts';
import type { JobScope } from '../ports/job-scope.ts';

/** What an enqueue takes its answers from, besides its options and the type: the job in whose handler it happens, and the worker. */
export interface DraftSources {
  readonly parent: JobScope | undefined;
  readonly queues: Pick<WorkerQueues, 'priority'> | undefined;
  /** The trace of the present invocation, if there is one. */
  readonly traceparent: (() => string | undefined) | undefined;
  /** Whom the client works for, if it is one for a single tenant. */
  readonly tenant: string | undefined;
}

type Traits = Pick<Job, 'group' | 'exclusive' | 'inheritGroup' | 'priority' | 'priorityFrom' | 'retry'>;

/** Group, priority and retry of a job. What the options leave open the type says, then the parent or the worker. */
export function traitsOf(type: AnyJobType, options: EnqueueOptions, output: unknown, { parent, queues }: DraftSources): Traits {
  const own = type.traits(output);
  const retry = options.retry === undefined ? own.retry : formatRetryPolicy(parseRetryPolicy(options.retry));
  return { ...priorityOf(options, own, { parent, queues }), ...groupOf(options, own, parent), ...defined({ retry }) };
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
 * A group that is named goes before one that is inherited, and an option before the type. Who inherits passes it on: jobs that a
 * chain of handlers enqueues stay in the group of the first.
 */
function groupOf(options: EnqueueOptions, own: JobTraits, parent: JobScope | undefined): Pick<Job, 'group' | 'exclusive' | 'inheritGroup'> {
  const asked = checkFlag(options.inheritGroup, 'inheritGroup');
  const inherits = asked ?? own.inheritGroup ?? parent?.inheritGroup ?? false;
  const inherited = inherits ? parent?.group : undefined;
  const open = asked === true ? (inherited ?? own.group) : (own.group ?? inherited);
  const group = options.group === undefined ? open : checkText(options.group, 'group');
  const label = inherited !== undefined && group === inherited ? parent?.exclusive : undefined;
  const exclusive = checkFlag(options.exclusive, 'exclusive') ?? label ?? true;
  return {
    ...defined({ group }),
    ...(group === undefined || exclusive ? {} : { exclusive }),
    ...(inherits ? { inheritGroup: true } : {}),
  };
}

/** Whom a job belongs to and what it is part of; a client for one tenant refuses another. */
export function textsOf(
  options: EnqueueOptions,
  { parent, tenant: only, traceparent }: DraftSources,
): Pick<Job, 'tenant' | 'correlationId' | 'traceparent'> {
  const given = options.tenant === undefined ? (only ?? parent?.tenant) : checkText(options.tenant, 'tenant');
  if (only !== undefined && given !== only) {
    throw new InvalidInputError('tenant', options.tenant, `This client works for tenant ${JSON.stringify(only)} alone. Leave tenant out.`);
  }
  const correlationId = options.correlationId === undefined ? parent?.correlationId : checkText(options.correlationId, 'correlationId');
  const trace = parent?.traceparent ?? traceparent?.();
  return defined({ tenant: given, correlationId, traceparent: trace });
}
