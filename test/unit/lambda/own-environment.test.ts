import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { silentJournal } from '../../../shared/adapters/observability/silent-journal.ts';
import { systemClock, systemEntropy } from '../../../shared/adapters/system.ts';
import { decodeEnvironment } from '../../../shared/config/environment.ts';
import { deploymentEnvironment } from '../../../shared/config/own-deployment.ts';
import { busSinks } from '../../../shared/lambda/bus-sinks.ts';
import { connectSource } from '../../../shared/lambda/connect-source.ts';
import { wireServer } from '../../support/wire-server.ts';

const GIVEN = { AWS_REGION: 'eu-south-2', AWS_ACCESS_KEY_ID: 'GIVEN', AWS_SECRET_ACCESS_KEY: 'secret' };
/** The scope of a signature: key, date, region, service. */
const SIGNED = /Credential=GIVEN\/\d+\/eu-south-2\//;

beforeEach(() => {
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'PROCESS');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'other');
});
afterEach(() => vi.unstubAllEnvs());

test('a worker polls with the region and the keys of the environment that it is given', async () => {
  const server = await wireServer(() => ({ body: {} }));
  const deployment = decodeEnvironment(deploymentEnvironment());
  const terms = { clock: systemClock, entropy: systemEntropy, journal: silentJournal };
  const environment = { ...GIVEN, AWS_ENDPOINT_URL_SQS: server.endpoint };
  const { source, close } = connectSource({}, deployment, { ...terms, environment });
  await source.receive({ worker: 'default', lane: 'default', kind: 'standard' }, { max: 1, waitMs: 0 });
  close();
  expect(server.requests.map(({ authorization }) => authorization)).toEqual([expect.stringMatching(SIGNED)]);
});

test('a worker puts events with the region and the keys of the environment that it is given', async () => {
  const server = await wireServer(() => ({ body: { FailedEntryCount: 0, Entries: [{ EventId: 'e' }] } }));
  const environment = { ...GIVEN, AWS_ENDPOINT_URL_EVENTBRIDGE: server.endpoint };
  const [sink] = busSinks({ events: { bus: 'jobs' }, name: 'shop' }, environment);
  expect(await sink?.put([{ event: 'job-completed', at: 0 } as never])).toBe(0);
  expect(server.requests.map(({ authorization }) => authorization)).toEqual([expect.stringMatching(SIGNED)]);
});
