import { createActivation, createAdmin } from '../../../operate/index.ts';
import { createTestKit } from '../../../testing/index.ts';
import { FILTERS, SCHEDULE, TENANT_FILTERS, work } from './samples.ts';
import type { Given, OptionCall, OptionCalls } from '../stray-field.ts';

const { admin, client } = createTestKit([work]);
const tenant = admin.forTenant('acme');
const ID = client.newId();
const BATCH = 'b';
const SDK_CLIENT = { send: async () => undefined };

const SCOPES = [
  { type: 'work' },
  { type: 'work', worker: 'default' },
  { group: 'g' },
  { tenant: 't' },
  { schedule: 's' },
  { batch: BATCH },
];
const REASON = { reason: 'why' };
const ACTIONS = [
  { verb: 'redrive' },
  { verb: 'delete' },
  { verb: 'cancel' },
  { verb: 'set-retries', retries: 1 },
  { verb: 'set-due-date', delay: 1 },
  { verb: 'run-now' },
  { verb: 'set-priority', priority: 1 },
  { verb: 'suspend' },
  { verb: 'resume' },
  { verb: 'bury' },
  { verb: 'release-group' },
  { verb: 'patch', patch: {} },
];
const OF_THE_DEPLOYMENT = [
  { verb: 'change-tenant', tenant: 't' },
  { verb: 'move', worker: 'default' },
];

/** A verb whose last argument is what an operator may say about it. */
const audited = (call: (given: Given) => unknown): OptionCall => ({ given: [{ context: REASON }], call });
const withOptions = (call: (given: Given) => unknown, options = {}): OptionCall => ({ given: [{ options }], call });

/** Calls of what operators import. */
export const ADMIN_CALLS: OptionCalls = {
  createAdmin: withOptions(({ options }) => createAdmin(options)),
  createActivation: withOptions(({ options }) => createActivation(options), {
    scheduler: SDK_CLIENT,
    lambda: SDK_CLIENT,
    targets: { schedules: [{ name: 'n', groupName: 'g' }], eventSourceMappings: [] },
  }),
  'Admin.blockedGroups': withOptions(({ options }) => admin.blockedGroups(options)),
  'Admin.history': { given: [{ query: {} }, { query: { id: ID } }], call: ({ query }) => admin.history(query) },
  'AuditVerbs.audit': withOptions(({ options }) => admin.audit(options)),
  'AuditVerbs.auditPage': withOptions(({ options }) => admin.auditPage(options)),
  'BatchTenantVerb.changeBatchTenant': audited(({ context }) => admin.changeBatchTenant(BATCH, 't', context)),
  'BreakpointVerb.breakpoint': audited(({ context }) => admin.breakpoint(ID, context)),
  'BulkVerbs.bulks': withOptions(({ options }) => admin.bulks(options)),
  'BulkVerbs.resumeBulk': withOptions(({ options }) => admin.resumeBulk(ID, options)),
  'BuryVerb.bury': audited(({ context }) => admin.bury(ID, context)),
  'ChangeTenantVerb.changeTenant': audited(({ context }) => admin.changeTenant(ID, 't', context)),
  'DeleteVerb.delete': withOptions(({ options }) => admin.delete(ID, options)),
  'EditPayloadVerb.editPayload': audited(({ context }) => admin.editPayload(ID, {}, context)),
  'ErrorGroupVerbs.errorGroups': withOptions(({ options }) => admin.errorGroups(options)),
  'EraseVerbs.erasures': withOptions(({ options }) => admin.erasures(options)),
  'EventVerbs.events': { given: [{ query: {} }], call: ({ query }) => admin.events(query) },
  'EventVerbs.switchEvents': { given: [{ sinks: { log: true } }], call: ({ sinks }) => admin.switchEvents(sinks) },
  'LimitVerbs.clearLimit': audited(({ context }) => admin.clearLimit('l', context)),
  'LimitVerbs.limits': withOptions(({ options }) => admin.limits(options)),
  'LimitVerbs.setLimit': audited(({ context }) => admin.setLimit('l', 1, context)),
  'ManyIdsVerbs.redriveMany': withOptions(({ options }) => admin.redriveMany([ID], options)),
  'ManyIdsVerbs.setDueDateMany': { given: [{ when: { delay: 1 } }], call: ({ when }) => admin.setDueDateMany([ID], when) },
  'MoveVerb.move': { given: [{ to: { worker: 'default' }, context: {} }], call: ({ to, context }) => admin.move(ID, to, context) },
  'PatchVerb.patchPayload': withOptions(({ options }) => admin.patchPayload(ID, { a: 1 }, options)),
  'ReconcileVerb.reconcile': withOptions(({ options }) => admin.reconcile(options), { copies: {} }),
  'RedriveVerb.redrive': withOptions(({ options }) => admin.redrive(ID, options)),
  'ReleaseGroupVerb.releaseGroup': audited(({ context }) => admin.releaseGroup(ID, context)),
  'ResumeJobVerb.resumeJob': audited(({ context }) => admin.resumeJob(ID, context)),
  'RetentionVerbs.clearRetention': {
    given: [{ scope: { type: 'work' }, context: {} }],
    call: ({ scope, context }) => admin.clearRetention(scope, context),
  },
  'RetentionVerbs.previewRetention': {
    given: [{ scope: { type: 'work' }, options: {} }],
    call: ({ scope, options }) => admin.previewRetention(scope, 1, options),
  },
  'RetentionVerbs.setRetention': {
    given: [{ scope: { type: 'work' }, context: {} }],
    call: ({ scope, context }) => admin.setRetention(scope, 1, context),
  },
  'RuleVerbs.clearPriority': {
    given: [{ scope: { type: 'work' }, options: {} }, { scope: { tenant: 't' } }],
    call: ({ scope, options }) => admin.clearPriority(scope, options),
  },
  'RuleVerbs.overridePriority': {
    given: [{ scope: { type: 'work' }, options: {} }, { scope: { tenant: 't' } }],
    call: ({ scope, options }) => admin.overridePriority(scope, 1, options),
  },
  'RuleVerbs.resume': {
    given: SCOPES.map((scope) => ({ scope, options: {} })),
    call: ({ scope, options }) => admin.resume(scope, options),
  },
  'RuleVerbs.suspend': {
    given: SCOPES.map((scope) => ({ scope, options: { reason: 'why', until: { for: 'PT1H' } } })),
    call: ({ scope, options }) => admin.suspend(scope, options),
  },
  'RunNowVerb.runNow': audited(({ context }) => admin.runNow(ID, context)),
  'ScheduleAdmin.backfill': withOptions(({ options }) => admin.schedules.backfill('s', options), { from: 0, to: 1 }),
  'ScheduleAdmin.edit': {
    given: [{ edit: { dst: {} }, options: {} }],
    call: ({ edit, options }) => admin.schedules.edit('s', edit, options),
  },
  'ScheduleAdmin.list': { given: [{ page: {} }], call: ({ page }) => admin.schedules.list(page) },
  'ScheduleAdmin.delete': audited(({ context }) => admin.schedules.delete('s', context)),
  'ScheduleAdmin.pause': audited(({ context }) => admin.schedules.pause('s', context)),
  'ScheduleAdmin.resume': audited(({ context }) => admin.schedules.resume('s', context)),
  'ScheduleAdmin.runNow': audited(({ context }) => admin.schedules.runNow('s', context)),
  'ScheduleAdmin.preview': {
    given: [{ schedule: SCHEDULE, options: {} }],
    call: ({ schedule, options }) => admin.schedules.preview(schedule, options),
  },
  'ScheduleAdmin.put': {
    given: [{ definition: SCHEDULE, context: REASON }],
    call: ({ definition, context }) => admin.schedules.put(definition, context),
  },
  'SetDueDateVerb.setDueDate': { given: [{ when: {} }], call: ({ when }) => admin.setDueDate(ID, when) },
  'SetPriorityVerb.setPriority': audited(({ context }) => admin.setPriority(ID, 1, context)),
  'StatisticsVerbs.statistics': withOptions(({ options }) => admin.statistics(options)),
  'StatisticsVerbs.statisticsBy': withOptions(({ options }) => admin.statisticsBy('type', options)),
  'SwitchVerbs.switchDeployment': audited(({ context }) => admin.switchDeployment('activate', context)),
  'TenantEraseVerbs.erase': {
    given: [{ scope: { type: 'work' }, options: {} }],
    call: ({ scope, options }) => admin.erase(scope, options),
  },
  'TenantEraseVerbs.erasedJobs': withOptions(({ options }) => admin.erasedJobs(ID, options)),
  'TenantEraseVerbs.resumeErasure': withOptions(({ options }) => admin.resumeErasure(ID, options)),
  'TriageVerbs.annotateErrorGroup': {
    given: [{ words: { note: 'n' }, context: {} }],
    call: ({ words, context }) => admin.annotateErrorGroup('f', words, context),
  },
  'TriageVerbs.ignoreErrorGroup': audited(({ context }) => admin.ignoreErrorGroup('f', Date.now() + 1_000, context)),
  'TriageVerbs.reopenErrorGroup': audited(({ context }) => admin.reopenErrorGroup('f', context)),
  'TriageVerbs.resolveErrorGroup': audited(({ context }) => admin.resolveErrorGroup('f', context)),
};

const filtered = (filters: readonly object[], call: (given: Given) => unknown): OptionCall => ({
  given: filters.map((filter) => ({ filter, options: {} })),
  call,
});
const bulk = (filters: readonly object[], actions: readonly object[], call: (given: Given) => unknown): OptionCall => ({
  given: [...filters.map((filter) => ({ filter, options: {} })), ...actions.map((action) => ({ action }))].map((given) => ({
    action: { verb: 'redrive' },
    filter: { state: 'dead' },
    ...given,
  })),
  call,
});
const listed = (filters: readonly object[], call: (given: Given) => unknown): OptionCall => ({
  given: filters.map((options) => ({ options })),
  call,
});

/** Calls of operators that take filters. */
export const FILTER_CALLS: OptionCalls = {
  'AttemptVerbs.attempts': withOptions(({ options }) => admin.attempts(options), { tenant: { prefix: 'a' } }),
  'BatchVerbs.batches': withOptions(({ options }) => admin.batches(options)),
  'BatchVerbs.cancelBatch': audited(({ context }) => admin.cancelBatch(BATCH, context)),
  'BatchVerbs.sealBatch': audited(({ context }) => admin.sealBatch(BATCH, context)),
  'BulkVerbs.bulk': bulk(FILTERS, [...ACTIONS, ...OF_THE_DEPLOYMENT], ({ action, filter, options }) => admin.bulk(action, filter, options)),
  'CancelWhereVerb.cancelWhere': filtered(FILTERS, ({ filter, options }) => admin.cancelWhere(filter, options)),
  'ReadVerbs.count': filtered(FILTERS, ({ filter }) => admin.count(filter)),
  'ReadVerbs.findByKey': withOptions(({ options }) => admin.findByKey('k', options)),
  'ReadVerbs.list': listed(FILTERS, ({ options }) => admin.list(options)),
  'TenantAdmin.attempts': withOptions(({ options }) => tenant.attempts(options)),
  'TenantAdmin.bulk': bulk(TENANT_FILTERS, ACTIONS, ({ action, filter, options }) => tenant.bulk(action, filter, options)),
  'TenantAdmin.cancelWhere': filtered(TENANT_FILTERS, ({ filter, options }) => tenant.cancelWhere(filter, options)),
  'TenantAdmin.count': filtered(TENANT_FILTERS, ({ filter }) => tenant.count(filter)),
  'TenantAdmin.findByKey': withOptions(({ options }) => tenant.findByKey('k', options)),
  'TenantAdmin.list': listed(TENANT_FILTERS, ({ options }) => tenant.list(options)),
  'TenantAuditVerbs.audit': withOptions(({ options }) => tenant.audit(options)),
  'TenantAuditVerbs.auditPage': withOptions(({ options }) => tenant.auditPage(options)),
};
