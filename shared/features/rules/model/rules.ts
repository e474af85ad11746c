import { InvalidInputError } from '../../../job/errors.ts';
import type { Job, Scalar } from '../../../job/job.ts';
import { checkOptions, checkText, checkTypeName, checkWorkerName } from '../../../job/names.ts';
import { namesOf, type Renamed } from '../../../job/worker-names.ts';

/** What a suspension concerns. */
export type SuspensionScope =
  | 'all'
  | { readonly type: string }
  /** A type that is suspended on one worker: its jobs on other workers continue. */
  | { readonly type: string; readonly worker: string }
  | { readonly group: string }
  | { readonly tenant: string }
  | { readonly schedule: string }
  | { readonly batch: string };

/** What a priority at run time concerns. */
export type PriorityScope = { readonly type: string } | { readonly tenant: string };

/** An operator's word that jobs of a scope are not to start. Instants are epoch milliseconds. */
export interface Suspension {
  /** As text: `all`, `type#x`, `type#x@worker`, `group#x`, `tenant#x`, `schedule#x`, `batch#x`. It is also the cause of the jobs that it suspends. */
  readonly scope: string;
  readonly reason: string;
  readonly actor: string;
  readonly at: number;
  /** In force from then on; absent: since it was given. */
  readonly from?: number;
  /** It ends then by itself. */
  readonly until?: number;
  /** It concerns only jobs created after that; absent: those that were there before it too. */
  readonly createdAfter?: number;
}

/** An operator's priority for the jobs of a type or tenant. */
export interface PriorityRule {
  /** As text: `type#x`, `tenant#x`, or `tenant-default#x` for the default of a tenant's jobs. */
  readonly scope: string;
  readonly priority: number;
  readonly actor: string;
  readonly at: number;
  /** It concerns also the jobs that were there before it. */
  readonly cascade: boolean;
}

/** The rules that operators set at run time, as executors last read them. */
export interface Rules {
  readonly suspensions: ReadonlyMap<string, Suspension>;
  readonly priorities: ReadonlyMap<string, PriorityRule>;
  /** Rows of other kinds, by sort key, as they are stored. */
  readonly others: ReadonlyMap<string, Readonly<Record<string, Scalar>>>;
}

/** A deployment without rules. */
export const NO_RULES: Rules = { suspensions: new Map(), priorities: new Map(), others: new Map() };

const SUSPENSION_KINDS = ['type', 'group', 'tenant', 'schedule', 'batch'] as const;
type ScopeKind = (typeof SUSPENSION_KINDS)[number];
const PRIORITY_KINDS: readonly ScopeKind[] = ['type', 'tenant'];

/** A scope as text. Throws InvalidInputError for anything but `all`, a type on a worker, or an object with exactly one known name. */
export function suspensionScope(given: unknown, field = 'scope'): string {
  if (given === 'all') return 'all';
  const { type, worker, ...others } = typeof given === 'object' && given !== null ? (given as Readonly<Record<string, unknown>>) : {};
  if (type === undefined || worker === undefined || Object.keys(others).length > 0) {
    return scopeText(given, SUSPENSION_KINDS, { field, known: [...SUSPENSION_KINDS, 'worker'] });
  }
  return typeOnWorker(checkTypeName(type, `${field}.type`), checkWorkerName(worker, `${field}.worker`));
}

/** The scope of a type on one worker. Neither names of types nor of workers can hold an `@`. */
const typeOnWorker = (type: string, worker: string): string => `type#${type}@${worker}`;

/** The type and the worker that a scope is about; undefined for every other scope. */
export function workerOfScope(scope: string): { readonly type: string; readonly worker: string } | undefined {
  const [, type, worker] = /^type#([^@]*)@([^@]*)$/u.exec(scope) ?? [];
  return type === undefined || worker === undefined ? undefined : { type, worker };
}

/** A scope under every name of its worker, the present one first: a suspension holds by whichever it was given. */
export function scopesOf(scope: string, workers: ReadonlyMap<string, Renamed>): readonly [string, ...string[]] {
  const { type, worker } = workerOfScope(scope) ?? {};
  if (type === undefined || worker === undefined) return [scope];
  const [present = worker, ...former] = namesOf(workers, worker).map((name) => typeOnWorker(type, name));
  return [present, ...former];
}

/** The suspensions of a scope under every name of its worker. */
export function suspensionsOf(scope: string, { suspensions }: Rules, workers: ReadonlyMap<string, Renamed>): readonly Suspension[] {
  return scopesOf(scope, workers).flatMap((one) => suspensions.get(one) ?? []);
}

/** The scope of a priority as text; `asDefault` makes it the default of a tenant. */
export function priorityScope(given: unknown, asDefault = false): string {
  const text = scopeText(given, PRIORITY_KINDS, { field: 'scope', known: PRIORITY_KINDS });
  if (!asDefault) return text;
  if (!text.startsWith('tenant#'))
    throw new InvalidInputError('default', text, 'Only a tenant has a default; a type names its own priority.');
  return `tenant-default${text.slice('tenant'.length)}`;
}

function scopeText(
  given: unknown,
  kinds: readonly ScopeKind[],
  { field, known }: { readonly field: string; readonly known: readonly string[] },
): string {
  const isObject = typeof given === 'object' && given !== null;
  if (isObject) checkOptions(given, known, field);
  const entries = isObject ? Object.entries(given) : [];
  const [kind, name] = entries[0] ?? [];
  if (entries.length !== 1 || kind === undefined || !kinds.includes(kind as ScopeKind)) {
    const all = kinds === SUSPENSION_KINDS ? "'all' or " : '';
    throw new InvalidInputError(field, given, `Use ${all}an object with one of ${kinds.join(', ')}, such as { type: 'invoice.send' }.`);
  }
  const text = kind === 'type' ? checkTypeName(name, `${field}.type`) : checkText(name, `${field}.${kind}`);
  if (text === undefined) throw new InvalidInputError(`${field}.${kind}`, name, 'Use a string that is not empty.');
  return `${kind}#${text}`;
}

/** Whether a cause of Suspended is the scope of a suspension, so that it ends with it. */
export function isScope(cause: string): boolean {
  return cause === 'all' || SUSPENSION_KINDS.some((kind) => cause.startsWith(`${kind}#`));
}

/** The tenant that a scope is about; undefined for every other scope. */
export function tenantOfScope(scope: string): string | undefined {
  return /^tenant(?:-default)?#(.*)/su.exec(scope)?.[1];
}

/** Whether a suspension holds at `now`. */
export function isInForce({ from, until }: Suspension, now: number): boolean {
  return (from === undefined || from <= now) && (until === undefined || now < until);
}

/** Whether a suspension concerns a job of its scope: one for new jobs leaves those alone that were there before. */
export function concernsJob({ createdAfter }: Suspension, job: Pick<Job, 'createdAt'>): boolean {
  return createdAfter === undefined || job.createdAt > createdAfter;
}

/** The suspension that keeps a job from starting now: the widest one that applies. None for a job that an operator runs now. */
export function suspensionFor(
  job: Pick<Job, 'type' | 'worker' | 'group' | 'tenant' | 'schedule' | 'batch' | 'runNow' | 'createdAt'>,
  { suspensions }: Rules,
  now: number,
  workers: ReadonlyMap<string, Renamed>,
): Suspension | undefined {
  if (suspensions.size === 0 || job.runNow === true) return undefined;
  const scopes = [
    'all',
    ...(job.tenant === undefined ? [] : [`tenant#${job.tenant}`]),
    `type#${job.type}`,
    ...scopesOf(typeOnWorker(job.type, job.worker), workers),
    ...(['schedule', 'batch', 'group'] as const).flatMap((kind) => (job[kind] === undefined ? [] : [`${kind}#${job[kind]}`])),
  ];
  return scopes.map((scope) => suspensions.get(scope)).find((one) => one !== undefined && isInForce(one, now) && concernsJob(one, job));
}

/** A priority that a rule gives to a job, and on what grounds. */
export interface GivenPriority {
  readonly priority: number;
  readonly from: 'override' | 'tenant';
}

/**
 * The priority that operators' rules give a job; undefined when none concerns it. A job's own `setPriority` goes before every
 * rule, an override of its type over that of its tenant, and a tenant's default ranks below option and type.
 */
export function priorityFor(
  job: Pick<Job, 'type' | 'tenant' | 'createdAt' | 'priorityFrom'>,
  { priorities }: Rules,
): GivenPriority | undefined {
  if (priorities.size === 0 || job.priorityFrom === 'set') return undefined;
  const given = (scope: string): PriorityRule | undefined => {
    const rule = priorities.get(scope);
    return rule !== undefined && (rule.cascade || job.createdAt > rule.at) ? rule : undefined;
  };
  const override = given(`type#${job.type}`) ?? (job.tenant === undefined ? undefined : given(`tenant#${job.tenant}`));
  if (override !== undefined) return { priority: override.priority, from: 'override' };
  const named = job.priorityFrom === 'option' || job.priorityFrom === 'type' || job.priorityFrom === 'override';
  const byDefault = named || job.tenant === undefined ? undefined : given(`tenant-default#${job.tenant}`);
  return byDefault && { priority: byDefault.priority, from: 'tenant' };
}

/** A cause for logs and events, without the names of groups and tenants, which are users' texts. */
export function causeForLogs(cause: string): string {
  const [kind = cause] = cause.split('#', 1);
  return kind === 'group' || kind === 'tenant' ? kind : cause;
}
