import type { Admin } from '../../shared/admin/admin.ts';
import type { BulkAction } from '../../shared/admin/bulk/bulk-verbs.ts';
import type { AuditContext } from '../../shared/admin/change-job.ts';
import { defined } from '../../shared/core/defined.ts';
import type { Call } from '../call.ts';
import { UsageError } from '../exit.ts';
import type { Flag } from '../verb.ts';

/** Something that is done to jobs: to those that are named one by one, or to all that match. */
export interface JobAction {
  readonly name: string;
  readonly summary: string;
  /** As in `1,234 jobs will be ...`. */
  readonly past: string;
  readonly flags?: readonly Flag[];
  /** Answers of `one` that mean that it was done. */
  readonly done: readonly string[];
  /** It acts in one state alone, that of its command, and answers for the others: nobody needs to look where the job lies first. */
  readonly refuses?: true;
  /** Whether a first job can be tried and waited for. */
  readonly canary?: true;
  /** A reason goes with it for one job too, not only in bulk. */
  readonly told?: 'optional' | 'required';
  action(call: Call): BulkAction;
  /** Does it to one job and gives the admin's answer; absent where only the bulk verb knows it. */
  one?(admin: Admin, id: string, terms: { readonly call: Call; readonly told: AuditContext }): Promise<string>;
}

const RETRIES: Flag = { flags: '--retries <n>', doc: 'executions that it gets; default: what its policy says' };
const AT: Flag = { flags: '--at <time>', doc: 'due then: 2h is in two hours; default now' };

/** Every action, by the name that commands use. */
export const JOB_ACTIONS = {
  redrive: {
    name: 'redrive',
    summary: 'makes dead letters ready again, with fresh counters',
    past: 'redriven',
    flags: [RETRIES, AT],
    done: ['redriven'],
    refuses: true,
    canary: true,
    action: (call) => ({ verb: 'redrive', ...redriveOptions(call) }),
    one: async (admin, id, { call }) => admin.redrive(id, redriveOptions(call)),
  },
  delete: {
    name: 'delete',
    summary: 'removes dead letters for good',
    past: 'deleted for good',
    done: ['deleted'],
    refuses: true,
    told: 'optional',
    action: () => ({ verb: 'delete' }),
    one: async (admin, id, { told }) => admin.delete(id, told),
  },
  cancel: {
    name: 'cancel',
    summary: 'cancels jobs; those that run are asked to stop',
    past: 'cancelled',
    done: ['cancelled', 'cancel-requested'],
    told: 'optional',
    action: () => ({ verb: 'cancel' }),
  },
  runNow: {
    name: 'run-now',
    summary: 'runs jobs now, although not due or suspended',
    past: 'run now',
    done: ['started'],
    canary: true,
    told: 'optional',
    action: () => ({ verb: 'run-now' }),
    one: async (admin, id, { told }) => admin.runNow(id, told),
  },
  setPriority: {
    name: 'set-priority',
    summary: 'gives jobs another priority, and the lane of that',
    past: 'given that priority',
    flags: [{ flags: '--to-priority <n>', doc: 'the priority; higher is more urgent' }],
    done: ['set'],
    told: 'optional',
    action: (call) => ({ verb: 'set-priority', priority: needed(call, 'toPriority') }),
    one: async (admin, id, { call, told }) => admin.setPriority(id, needed(call, 'toPriority'), told),
  },
  setDueDate: {
    name: 'set-due-date',
    summary: 'gives jobs another due time; a dead letter is redriven at it',
    past: 'given that due time',
    flags: [{ flags: '--at <time>', doc: 'due then: 2h is in two hours' }],
    done: ['rescheduled', 'redriven'],
    action: (call) => ({ verb: 'set-due-date', runAt: dueAt(call) }),
    one: async (admin, id, { call }) => admin.setDueDate(id, { runAt: dueAt(call) }),
  },
  setRetries: {
    name: 'set-retries',
    summary: 'gives jobs more tries from now on; a dead letter is redriven with them',
    past: 'given those tries',
    flags: [{ flags: '--retries <n>', doc: 'tries from now on' }],
    done: ['set', 'redriven'],
    action: (call) => ({ verb: 'set-retries', retries: needed(call, 'retries') }),
    one: async (admin, id, { call }) => admin.setRetries(id, needed(call, 'retries')),
  },
  suspend: {
    name: 'suspend',
    summary: 'stops jobs that do not run at a breakpoint, until activate or run-now',
    past: 'stopped at a breakpoint',
    done: ['stopped'],
    told: 'required',
    action: () => ({ verb: 'suspend' }),
    one: async (admin, id, { told }) => admin.breakpoint(id, { ...told, reason: told.reason ?? '' }),
  },
  activate: {
    name: 'activate',
    summary: 'lets suspended jobs go; what is still suspended stops them again',
    past: 'let go',
    done: ['activated', 'waiting'],
    canary: true,
    told: 'optional',
    action: () => ({ verb: 'activate' }),
    one: async (admin, id, { told }) => admin.activateJob(id, told),
  },
  changeTenant: {
    name: 'change-tenant',
    summary: 'gives jobs that do not run another tenant, or none',
    past: 'moved to that tenant',
    flags: [
      { flags: '--to-tenant <tenant>', doc: 'the tenant that they get' },
      { flags: '--to-no-tenant', doc: 'they get none' },
    ],
    done: ['changed'],
    told: 'optional',
    action: (call) => ({ verb: 'change-tenant', tenant: newTenant(call) }),
    one: async (admin, id, { call, told }) => admin.changeTenant(id, newTenant(call), told),
  },
} as const satisfies Readonly<Record<string, JobAction>>;

function redriveOptions(call: Call): { readonly retries?: number; readonly at?: Date } {
  const [retries, at] = [call.whole('retries'), call.instant('at', 'ahead')];
  return { ...defined({ retries }), ...(at === undefined ? {} : { at: new Date(at) }) };
}

function needed(call: Call, name: string): number {
  const value = call.whole(name);
  if (value === undefined) throw new UsageError(`--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} is missing.`);
  return value;
}

function dueAt(call: Call): Date {
  const at = call.instant('at', 'ahead');
  if (at === undefined) throw new UsageError('--at is missing.');
  return new Date(at);
}

function newTenant(call: Call): string | null {
  const tenant = call.text('toTenant');
  if ((tenant === undefined) === !call.on('toNoTenant')) throw new UsageError('say --to-tenant or --to-no-tenant.');
  return tenant ?? null;
}
