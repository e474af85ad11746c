import { expect, it } from 'vitest';
import { createDynamoTables } from '../../../shared/adapters/dynamodb/tables.ts';
import { seededEntropy } from '../../../shared/adapters/memory/seeded-entropy.ts';
import { createAdmin } from '../../../operate/create-admin.ts';
import { encodeEnvironment } from '../../../shared/config/environment.ts';
import { systemClock } from '../../../shared/adapters/system.ts';
import { defineJob } from '../../../shared/job/job-type.ts';
import { decodeJob } from '../../../shared/store/job-codec.ts';
import { timerRow } from '../../../shared/store/rows.ts';
import { EMULATOR_ACCESS } from '../../support/emulator-access.ts';
import { freshTables, testDynamo } from '../../support/emulators.ts';
import { anyPayload, Rig } from '../../support/rig.ts';

it('createAdmin reads earlier copies from the tables that are named, and writes into those of the deployment', async () => {
  const [{ names }, copies, { endpoint }] = [await freshTables(), await freshTables(), await testDynamo()];
  const rig = new Rig();
  const { id } = await rig.client.enqueue(defineJob('work', { payload: anyPayload }), {}, { delay: 'PT2H' });
  const timer = decodeJob((await rig.rows('timers'))[0] ?? {});
  const early = createDynamoTables({ client: copies.client, names: copies.names, clock: systemClock, entropy: seededEntropy(1) });
  await early.putAll('timers', [timerRow(timer)]);
  const { accessKeyId, secretAccessKey } = EMULATOR_ACCESS.credentials;
  const environment = {
    AWS_REGION: EMULATOR_ACCESS.region,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    ...encodeEnvironment({ tables: names, workers: {} }),
  };
  const admin = createAdmin({ environment });
  const { findings } = await admin.reconcile({ apply: true, copies: { timers: copies.names.timers } });
  expect(findings).toMatchObject([{ kind: 'job-missing', repaired: 1 }]);
  expect(await admin.find(id)).toMatchObject({ state: 'waiting' });
});
