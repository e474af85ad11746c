import { expect, it } from 'vitest';
import { createAcquirer } from '../../../functions/acquirer/create-acquirer.ts';
import { encodeEnvironment } from '../../../shared/config/environment.ts';
import { silentJournal } from '../../../shared/adapters/observability/silent-journal.ts';
import { TABLE_NAMES } from '../../../shared/ports/table-spec.ts';

const tables = Object.fromEntries(TABLE_NAMES.map((name) => [name, name])) as never;
const environment = {
  ...encodeEnvironment({ tables, workers: { default: { lanes: { default: 'http://localhost/q' } } } }),
  AWS_REGION: 'eu-central-1',
};

it('an acquirer asks for the schedules that code declares, before it fires what is due', async () => {
  let asked = 0;
  const handler = createAcquirer({ environment, journal: silentJournal, schedules: () => (asked++, []) });
  // No request is made: its time is over.
  const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => 0 };
  expect(await handler({}, context)).toMatchObject({ fired: 0, failed: 0, unfinished: 64 });
  expect(asked).toBe(1);
});
