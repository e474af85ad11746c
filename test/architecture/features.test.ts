import { expect, test } from 'vitest';
import { featureNames, importsOf, sourceFiles } from './source-files.ts';

const FEATURES = featureNames();

/** The lists that name features. A feature is taken out with its lines in them. */
const REGISTRIES: readonly string[] = [
  'functions/acquirer/duties.ts',
  'functions/executor/gates/gates.ts',
  'functions/sweeper/duties.ts',
  'operate/admin.ts',
  'operate/audited.ts',
  'operate/explain/gather-facts.ts',
  'operate/index.ts',
  'shared/features/operator-records.ts',
  'operate/tenant-admin.ts',
  'operate/verbs.ts',
  'shared/client/job-client.ts',
  'shared/index.ts',
  'shared/lambda/connect-events.ts',
  'shared/lambda/connect-sums.ts',
  'shared/store/burials.ts',
  'shared/store/endings.ts',
  'cli/commands.ts',
  'cli/commands/stats.ts',
  'console/actions.ts',
  'console/overview/lists.ts',
  'console/pages.ts',
  'console/pages/overview.ts',
];

/** The files of a feature outside its folder: gates and duties, which work through the pipeline, verbs for one job, and how CLI and console show it. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  audit: ['cli/commands/audit.ts', 'console/pages/audit.ts', 'console/parts/audit-fields.ts'],
  backlogs: ['functions/sweeper/record-backlogs.ts'],
  batches: [
    'functions/sweeper/duties/settle-batches.ts',
    'cli/commands/batches.ts',
    'console/actions/batch-actions.ts',
    'console/pages/batches.ts',
  ],
  'claim-check': ['functions/cleaner/clean-unless-off.ts', 'functions/cleaner/create-cleaner.ts', 'functions/cleaner/handler.ts'],
  'error-groups': [
    'functions/sweeper/duties/settle-error-groups.ts',
    'cli/jobs/error-group-verbs.ts',
    'console/pages/error-group.ts',
    'console/parts/group-parts.ts',
  ],
  'group-order': ['operate/verbs/release-group.ts'],
  limits: [
    'functions/executor/gates/limits.ts',
    'functions/acquirer/duties/release-parked.ts',
    'cli/commands/limits.ts',
    'cli/stats/limits.ts',
    'console/actions/limit-actions.ts',
    'console/overview/limit-rows.ts',
    'console/pages/limits.ts',
    'console/parts/limit-numbers.ts',
  ],
  retention: [
    'functions/sweeper/duties/remove-old-dead-letters.ts',
    'cli/commands/retention.ts',
    'console/actions/retention-actions.ts',
    'console/pages/retention.ts',
  ],
  rules: [
    'functions/executor/gates/rules.ts',
    'cli/commands/priorities.ts',
    'cli/commands/suspensions.ts',
    'cli/jobs/scope-flags.ts',
    'console/actions/priority-actions.ts',
    'console/actions/rule-actions.ts',
    'console/pages/suspensions.ts',
    'console/parts/priority-rows.ts',
  ],
  schedules: [
    'functions/acquirer/fire-occurrences.ts',
    'functions/acquirer/sync-schedules.ts',
    'functions/executor/gates/schedule.ts',
    'functions/sweeper/duties/repair-schedules.ts',
    'operate/new-schedule.ts',
    'operate/schedule-fields.ts',
    'operate/reconcile/schedules.ts',
    'cli/commands/schedules.ts',
    'cli/schedules/backfill.ts',
    'cli/schedules/change-verbs.ts',
    'cli/schedules/field-flags.ts',
    'console/actions/make-schedule.ts',
    'console/actions/schedule-actions.ts',
    'console/actions/schedule-values.ts',
    'console/pages/schedule.ts',
    'console/pages/schedules.ts',
    'console/parts/backfill-parts.ts',
    'console/parts/schedule-editor.ts',
    'console/parts/schedule-fields.ts',
    'console/parts/schedule-maker.ts',
    'console/parts/schedule-parts.ts',
  ],
  statistics: [
    'cli/stats/by-name.ts',
    'console/pages/statistics.ts',
    'cli/stats/spans.ts',
    'cli/stats/throughput.ts',
    'console/overview/buckets.ts',
    'console/overview/charts.ts',
  ],
  workers: ['functions/executor/report-worker.ts', 'console/pages/workers.ts'],
};

/**
 * Every other line that names a feature. A new one needs a registry instead; one that is gone leaves this list. Those that are left would
 * need a layer between: a verb that undoes what a feature wrote (error groups at a redrive, a deletion or an erasure), facts and sentences
 * of an explanation, the option of a construct or a command, and dependencies that a process creates once and hands in.
 */
const WOVEN_IN: Readonly<Record<string, readonly string[]>> = {
  audit: [
    'cli/jobs/job-details.ts',
    'console/jobs/attempt-timeline.ts',
    'console/pages/job.ts',
    'functions/sweeper/duties/remove-old-dead-letters.ts',
    'operate/timeline.ts',
  ],
  backlogs: [
    'functions/api/create-http-api.ts',
    'functions/sweeper/sweep-unless-off.ts',
    'functions/sweeper/sweep.ts',
    'operate/read-type-list.ts',
    'shared/client/client-deps.ts',
  ],
  batches: [
    'functions/executor/invocation.ts',
    'operate/reconcile/batch-counts.ts',
    'operate/reconcile/batches.ts',
    'operate/reconcile/callbacks.ts',
    'operate/verbs/change-tenant.ts',
    'shared/client/cancel-job.ts',
    'shared/client/draft.ts',
  ],
  'error-groups': [
    'cli/commands/dead-letters.ts',
    'console/overview/figures.ts',
    'console/pages/dead-letters.ts',
    'functions/sweeper/duties/remove-old-dead-letters.ts',
    'operate/admin-deps.ts',
    'operate/bulk/run-bulk.ts',
    'operate/erase/erase-places.ts',
    'operate/erase/run-erasure.ts',
    'operate/jobs/types-of-dead-letters.ts',
    'operate/read-type-list.ts',
    'operate/verbs/bury.ts',
    'operate/verbs/delete.ts',
    'operate/verbs/redrive.ts',
    'shared/features/retention/store/remove-old.ts',
  ],
  'claim-check': ['operate/jobs/read-jobs.ts'],
  events: ['operate/erase/erase-places.ts'],
  'group-order': ['console/pages/groups.ts', 'functions/acquirer/duties/release-parked.ts', 'operate/blocked-groups.ts'],
  history: [
    'cli/jobs/job-details.ts',
    'console/jobs/attempt-timeline.ts',
    'console/pages/job.ts',
    'functions/executor/invocation.ts',
    'operate/attempts/attempt-filter.ts',
    'operate/attempts/list-attempts.ts',
    'operate/timeline.ts',
  ],
  limits: ['operate/explain/explain-waiting.ts', 'operate/explain/facts.ts'],
  retention: ['functions/sweeper/duties/clear-dead-locks.ts', 'operate/acquire-locks.ts'],
  rules: [
    'console/pages/workers.ts',
    'console/parts/scope-text.ts',
    'functions/acquirer/acquire-unless-off.ts',
    'functions/acquirer/duties/release-parked.ts',
    'functions/cleaner/clean-unless-off.ts',
    'functions/executor/configure-executor.ts',
    'functions/executor/deps.ts',
    'functions/executor/receive.ts',
    'functions/sweeper/duties/resume-one.ts',
    'functions/sweeper/duties/resume-suspended.ts',
    'functions/sweeper/sweep-unless-off.ts',
    'operate/explain/explain-suspended.ts',
    'operate/explain/facts.ts',
    'operate/explain/sentences.ts',
    'operate/read-type-list.ts',
    'operate/switch-deployment.ts',
    'shared/features/limits/admin/limit-facts.ts',
    'shared/features/limits/admin/limit-use.ts',
    'shared/features/limits/admin/limit-verbs.ts',
    'shared/features/workers/admin/list-workers.ts',
    'testing/kit/kit-world.ts',
  ],
  schedules: [
    'cli/show.ts',
    'cli/text/time.ts',
    'functions/acquirer/acquire-shard.ts',
    'functions/acquirer/create-acquirer.ts',
    'functions/acquirer/handler.ts',
    'infra/acquirer-function.ts',
    'infra/job-executor-props.ts',
    'infra/props-checks.ts',
    'local/region-functions.ts',
    'local/region-options.ts',
    'operate/erase/run-erasure.ts',
    'operate/explain/facts.ts',
    'operate/explain/sentences.ts',
    'operate/reconcile/reconcile.ts',
    'operate/schedule-verbs.ts',
  ],
  workers: [
    'cli/doctor/check-running.ts',
    'functions/api/create-http-api.ts',
    'functions/api/route.ts',
    'functions/executor/create-executor.ts',
    'functions/executor/deps.ts',
    'functions/sweeper/duties/resume-suspended.ts',
    'functions/worker/external/create-external.ts',
    'functions/worker/run-worker.ts',
    'operate/explain/explain-ready.ts',
    'operate/explain/explain-suspended.ts',
    'operate/explain/facts.ts',
    'operate/read-type-list.ts',
    'shared/features/limits/admin/limit-verbs.ts',
    'shared/features/schedules/admin/schedules.ts',
  ],
};

const production = sourceFiles().filter(({ path }) => /^(shared|functions|operate|testing|infra|cli|console|local)\//.test(path));
const isIn = (path: string, places: readonly string[]): boolean => places.some((place) => path === place || path.startsWith(`${place}/`));

function namedBy(feature: string): readonly string[] {
  const own = [`shared/features/${feature}`, ...(PARTS[feature] ?? [])];
  return production
    .filter((file) => !isIn(file.path, own) && importsOf(file).some(({ target }) => isIn(target, own)))
    .map(({ path }) => path)
    .toSorted();
}

test.each(FEATURES)('%s is named only by its own files, by the registries, and by the lines that are listed', (feature) => {
  expect(namedBy(feature).filter((path) => !REGISTRIES.includes(path))).toEqual(WOVEN_IN[feature] ?? []);
});

test('each registry, and each file of a feature, is there', () => {
  const paths = new Set(production.map(({ path }) => path));
  expect([...REGISTRIES, ...Object.values(PARTS).flat()].filter((path) => !paths.has(path))).toEqual([]);
  expect(Object.keys({ ...PARTS, ...WOVEN_IN }).filter((name) => !FEATURES.includes(name))).toEqual([]);
});

test('each registry names a feature', () => {
  const named = new Set(FEATURES.flatMap(namedBy));
  expect(REGISTRIES.filter((path) => !named.has(path))).toEqual([]);
});
