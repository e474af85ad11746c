import { expect, test } from 'vitest';
import { ATTRIBUTES } from '../../shared/job/attributes.ts';
import { sourceFiles } from './source-files.ts';

/** The rooms that carry, show and find jobs. The others act on them: they name an attribute that changes what they do. */
const CARRIES = /^(?:shared\/(?:job|client|ports)|operate|cli|console|testing)\/|^shared\/store\/job-codec\.ts$/;

/** All the files in which a new attribute is described: one that is an option of enqueue, known to handlers, shown and searched. */
const DESCRIBED_IN = [
  'shared/job/job.ts',
  'shared/job/attributes.ts',
  'shared/job/enqueue-options.ts',
  'shared/client/draft.ts',
  'shared/job/job-info.ts',
  'operate/jobs/job-view.ts',
  'operate/jobs/job-filter.ts',
  'console/jobs/job-facts.ts',
];

/** What else names an attribute, because it does something of its own with it. */
const USED_IN: Readonly<Partial<Record<keyof typeof ATTRIBUTES, readonly string[]>>> = {
  callbackOf: [],
  correlationId: [
    'console/jobs/filter-form.ts',
    'console/pages/find.ts',
    'shared/client/draft-traits.ts',
    'shared/ports/journal.ts',
    'shared/ports/table-spec.ts',
  ],
  keyExpiresAt: ['operate/reconcile/keys.ts', 'shared/job/unique-key.ts'],
  priorityFrom: ['shared/client/draft-traits.ts'],
  progressText: ['cli/jobs/progress.ts', 'console/jobs/job-table.ts', 'operate/explain/explain-running.ts', 'shared/client/job-client.ts'],
  startBy: ['operate/explain/explain-ended.ts', 'operate/explain/sentences.ts', 'testing/kit/kept-jobs.ts'],
  triesLimit: ['operate/explain/explain-ended.ts', 'operate/explain/sentences.ts', 'shared/job/decide.ts', 'shared/job/transitions.ts'],
};

const withoutComments = (text: string): string => text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
const carriers = sourceFiles()
  .filter(({ path }) => CARRIES.test(path))
  .map(({ path, text }) => ({ path, text: withoutComments(text) }));

function naming(attribute: string): readonly string[] {
  const name = new RegExp(`(?<![\\w-])${attribute}(?![\\w-])`);
  return carriers.flatMap(({ path, text }) => (name.test(text) ? [path] : [])).toSorted();
}

test('an attribute is described in at most eight files', () => {
  expect(carriers.length).toBeGreaterThan(300);
  expect(DESCRIBED_IN.length).toBeLessThanOrEqual(8);
  // Nothing is in the list that describes none of the attributes below.
  const described = Object.keys(USED_IN).flatMap(naming);
  expect(DESCRIBED_IN.filter((path) => !described.includes(path))).toEqual([]);
});

test.each(Object.entries(USED_IN))('%s is named where it is described, and where it is used', (attribute, used) => {
  expect(naming(attribute).filter((path) => !DESCRIBED_IN.includes(path))).toEqual(used);
});
