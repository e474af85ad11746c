import { defined } from '../../shared/job/defined.ts';
import { checkTenantOrNull } from '../../shared/job/names.ts';
import { readBatchHead } from '../../shared/features/batches/store/batch-rows.ts';
import { planTenant } from '../../shared/store/change-tenant.ts';
import type { AuditContext } from '../../shared/operator/act.ts';
import { ENCODED, recoded } from '../coded-payload.ts';
import { changeJob, requeuedEvent } from '../change-job.ts';
import type { JobVerb, NotDone } from './verb.ts';

/** The verb for one job. */
export interface ChangeTenantVerb {
  /**
   * Another tenant, or none, for a job that does not run; its unique key goes along, or `key-taken`. `in-batch`: its batch belongs to
   * another tenant, see `changeBatchTenant`; `occurrence`: it waits for its schedule, see `schedules.edit`. What History and the audit
   * kept of it stays the old tenant's. `encoded`: its payload is, perhaps with a key of its tenant, and the session has no type with its codec.
   */
  changeTenant(
    id: string,
    tenant: string | null,
    context?: AuditContext,
  ): Promise<'changed' | 'key-taken' | 'in-batch' | 'occurrence' | 'unreadable' | 'encoded' | NotDone>;
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
      flag: { flags: '--to-tenant <tenant>', doc: 'the new tenant' },
      noneFlag: { flags: '--to-no-tenant', doc: 'they get none' },
      asked: {
        one: { name: 'tenant', label: 'Tenant', hint: 'Empty: none.' },
        many: { name: 'tenant', label: 'Tenant', hint: 'Empty: none.' },
      },
    },
  ],
  context: 'optional',
  done: ['changed'],
  repeated: () => ['running', 'finished', 'not-found', 'changed'],
  refusals: {
    'in-batch':
      'Its batch belongs to another tenant: nothing was changed. Change the tenant of the batch first: nightcrew batches change-tenant.',
    encoded: ENCODED,
  },
  wholeDeployment: true,
  command: {
    summary: 'gives jobs that do not run another tenant, or none',
    past: 'moved to that tenant',
    of: { jobs: 80 },
  },
  button: { action: 'change-tenant', place: 80, label: 'Change tenant', doing: 'giving to another tenant' },
  check: ({ verb, tenant }) => ({ verb, tenant: checkTenantOrNull(tenant) ?? null }),
  methods: (deps, tenant) => ({
    async changeTenant(id, to, context = {}) {
      const moved = checkTenantOrNull(to);
      const detail = moved === undefined ? 'to none' : `to ${moved}`;
      return changeJob(
        deps,
        { name: 'changeTenant', id, context, detail, ...defined({ tenant }), event: requeuedEvent('changeTenant') },
        async (found, terms) =>
          planTenant(deps.tables, found, moved, {
            ...terms,
            batch: async (batch) => readBatchHead(deps.tables, batch),
            recode: async (job, into) => recoded(deps, job, into),
          }),
      );
    },
  }),
  act: async (on, id, { tenant }, context) => on.changeTenant(id, tenant, context),
  says: (_, { tenant }) => (tenant === null ? 'It belongs to no tenant now.' : `It belongs to tenant ${tenant} now.`),
  title: ({ tenant }) => `: ${tenant ?? 'none'}`,
};
