import { defined } from '../../core/defined.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { checkText } from '../../core/names.ts';
import { planTenant } from '../../store/change-tenant.ts';
import { type AuditContext, changeJob, requeuedEvent } from '../change-job.ts';
import type { JobVerb, NotDone } from './verb.ts';

/** The verb for one job. */
export interface ChangeTenantVerb {
  /**
   * Another tenant, or none, for a job that does not run; its unique key goes along, or `key-taken`. `in-batch`: its batch belongs to
   * one tenant as a whole; `occurrence`: it waits for its schedule. What History and the audit kept of it stays the old tenant's.
   */
  changeTenant(
    id: string,
    tenant: string | null,
    told?: AuditContext,
  ): Promise<'changed' | 'key-taken' | 'in-batch' | 'occurrence' | 'unreadable' | NotDone>;
}

/** What to do to each job in bulk. */
export interface ChangeTenantAction {
  readonly verb: 'change-tenant';
  /** `null`: none. */
  readonly tenant: string | null;
}

/** Moves jobs to another tenant. */
export const changeTenant: JobVerb<ChangeTenantAction, ChangeTenantVerb> & { readonly wholeDeployment: true } = {
  name: 'change-tenant',
  method: 'changeTenant',
  acts: ['waiting', 'parked', 'suspended', 'ready', 'dead'],
  arguments: [
    {
      field: 'tenant',
      kind: 'name',
      required: true,
      flag: { flags: '--to-tenant <tenant>', doc: 'the tenant that they get' },
      noneFlag: { flags: '--to-no-tenant', doc: 'they get none' },
      asked: {
        one: { name: 'tenant', label: 'Tenant', hint: 'Empty: none.' },
        many: { name: 'tenant', label: 'Tenant', hint: 'Empty: none.' },
      },
    },
  ],
  told: 'optional',
  done: ['changed'],
  repeated: ['running', 'finished', 'not-found', 'changed'],
  refusals: { 'in-batch': 'It belongs to a batch, which belongs to one tenant as a whole: nothing was changed.' },
  wholeDeployment: true,
  command: {
    summary: 'gives jobs that do not run another tenant, or none',
    past: 'moved to that tenant',
    of: { jobs: 80 },
  },
  button: { action: 'change-tenant', place: 80, label: 'Change tenant', doing: 'giving to another tenant' },
  check: ({ verb, tenant }) => ({ verb, tenant: checkTenant(tenant) ?? null }),
  methods: (deps, tenant) => ({
    async changeTenant(id, to, told = {}) {
      const moved = checkTenant(to);
      const detail = moved === undefined ? 'to none' : `to ${moved}`;
      return changeJob(
        deps,
        { name: 'changeTenant', id, told, detail, ...defined({ tenant }), event: requeuedEvent('changeTenant') },
        async (found, terms) => planTenant(deps.tables, found, moved, terms),
      );
    },
  }),
  act: async (on, id, { tenant }, told) => on.changeTenant(id, tenant, told),
  says: (_, { tenant }) => (tenant === null ? 'It belongs to no tenant now.' : `It belongs to tenant ${tenant} now.`),
  title: ({ tenant }) => `: ${tenant ?? 'none'}`,
};

/** A tenant, or undefined for `null`: none. An empty text is neither. */
function checkTenant(tenant: unknown): string | undefined {
  const name = tenant === null ? undefined : checkText(tenant, 'tenant');
  if (tenant !== null && name === undefined) throw new InvalidInputError('tenant', tenant, 'Name the tenant, or give null for none.');
  return name;
}
