import { createAdmin } from '../../../operate/create-admin.ts';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { namedConnection, variableNames } from '../../../shared/config/connection-name.ts';
import { createJobClient } from '../../../shared/index.ts';
import { decodeEnvironment, type DeploymentInput, encodeEnvironment, ENVIRONMENT } from '../../../shared/config/environment.ts';
import { resolveSettings } from '../../../shared/config/settings.ts';
import { InvalidConfigurationError, MissingEnvironmentError } from '../../../shared/job/errors.ts';
import { silentJournal } from '../../../shared/adapters/observability/silent-journal.ts';
import { TABLE_NAMES } from '../../../shared/ports/table-spec.ts';
import type { TableName } from '../../../shared/ports/tables.ts';

const tables = Object.fromEntries(TABLE_NAMES.map((name) => [name, `Stack-${name}`])) as Record<TableName, string>;
const DEPLOYMENT: DeploymentInput = {
  tables,
  workers: { default: { lanes: { default: 'https://sqs/jobs' }, fifo: 'https://sqs/jobs.fifo' } },
};
const environment = (changes: Record<string, string | undefined> = {}): Record<string, string | undefined> => ({
  ...encodeEnvironment(DEPLOYMENT),
  ...changes,
});

const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,10}$/);
/** One to three lanes; all but the first have a lower bound of their own. */
const lanes = fc
  .tuple(fc.uniqueArray(name, { minLength: 1, maxLength: 3 }), fc.uniqueArray(fc.maxSafeInteger(), { minLength: 2, maxLength: 2 }))
  .map(([names, bounds]) => ({
    lanes: Object.fromEntries(names.map((lane) => [lane, `https://sqs/${lane}`])),
    ...(names.length === 1 ? {} : { from: Object.fromEntries(names.slice(1).map((lane, index) => [lane, bounds[index] ?? 0])) }),
  }))
  .filter(({ lanes: { timers } }) => timers === undefined);
const queues = fc
  .tuple(
    lanes,
    fc.record(
      { fifo: fc.webUrl(), deadLetterQueue: fc.webUrl(), fifoDeadLetterQueue: fc.webUrl(), priority: fc.maxSafeInteger() },
      { requiredKeys: [] },
    ),
  )
  .map(([ranged, more]) => ({ ...ranged, ...more }));
const deployments = fc.record(
  {
    tables: fc.constant(tables),
    workers: fc.dictionary(name, queues, { maxKeys: 3 }),
    settings: fc.record(
      { batchSize: fc.integer({ min: 1, max: 10 }), horizonMs: fc.integer({ min: 1_000, max: 540_000 }) },
      { requiredKeys: [] },
    ),
    history: fc.constantFrom('off' as const, 'outcome' as const, 'durable' as const),
    metrics: fc.constantFrom('worker' as const, 'type' as const, 'off' as const, { types: ['invoice.send', 'a,b'] }),
    worker: name,
  },
  { requiredKeys: ['tables', 'workers'] },
);

describe('the environment of a function', () => {
  test('says what infra put into it, whatever that was', () => {
    fc.assert(
      fc.property(deployments, (deployment) => {
        const read = decodeEnvironment(encodeEnvironment(deployment));
        expect(read.tables).toEqual(deployment.tables);
        expect(Object.fromEntries(read.workers)).toEqual(Object.fromEntries(Object.entries(deployment.workers)));
        expect(read.settings).toEqual(resolveSettings(deployment.settings));
        expect([read.history, read.metrics, read.worker]).toEqual([
          deployment.history ?? 'outcome',
          deployment.metrics ?? 'worker',
          deployment.worker,
        ]);
      }),
    );
  });

  test('holds texts only, so that CDK tokens in it are resolved', () => {
    expect(Object.values(encodeEnvironment(DEPLOYMENT)).every((value) => typeof value === 'string')).toBe(true);
  });

  test('holds settings only where they differ from the defaults, since Lambda allows 4 KB in all', () => {
    expect(Object.keys(encodeEnvironment({ ...DEPLOYMENT, settings: {} }))).toEqual([ENVIRONMENT.tables, ENVIRONMENT.workers]);
  });

  test.each([ENVIRONMENT.tables, ENVIRONMENT.workers])('without %s names the call that was forgotten', (variable) => {
    for (const missing of [undefined, '']) {
      const refused = (): unknown => decodeEnvironment(environment({ [variable]: missing }));
      expect(refused).toThrow(MissingEnvironmentError);
      expect(refused).toThrow(new RegExp(`^${variable} is not set\\..*executor\\.connect\\(fn\\)`));
    }
  });

  test('an operator without it is told of the calls for operators', () =>
    expect(() => createAdmin({ environment: {} })).toThrow(
      /^NIGHTCREW_TABLES is not set\..*connectOperator\(fn\).*operatorEnvironment\(\)/,
    ));

  test.each(['{', '[]', 'null', '5', '"x"'])('with %s instead of an object names the variable', (text) => {
    for (const variable of [ENVIRONMENT.tables, ENVIRONMENT.workers, ENVIRONMENT.settings]) {
      expect(() => decodeEnvironment(environment({ [variable]: text }))).toThrow(new RegExp(`^${variable}: .*is not a JSON object`));
    }
  });

  test.each(TABLE_NAMES)('without the name of table %s says so', (table) => {
    const { [table]: _, ...others } = tables;
    expect(() => decodeEnvironment(environment({ [ENVIRONMENT.tables]: JSON.stringify(others) }))).toThrow(
      `${ENVIRONMENT.tables}: the name of table ${table} is missing.`,
    );
  });

  test.each([{}, { lanes: null }, { lanes: { default: 5 } }, null, 'url'])('with a worker like %j is refused', (worker) => {
    expect(() => decodeEnvironment(environment({ [ENVIRONMENT.workers]: JSON.stringify({ mail: worker }) }))).toThrow(
      /worker "mail" has no lanes with queue URLs/,
    );
  });

  test.each(['fifo', 'deadLetterQueue', 'fifoDeadLetterQueue'])('with a %s that is no text is refused', (name) => {
    const workers = JSON.stringify({ mail: { lanes: { default: 'url' }, [name]: 5 } });
    expect(() => decodeEnvironment(environment({ [ENVIRONMENT.workers]: workers }))).toThrow(`${name} of worker "mail" is not a queue URL`);
  });

  test.each([
    [{ lanes: { a: 'u', b: 'u' } }, /mail\.from: lanes a and b both begin below everything/],
    [{ lanes: { a: 'u' }, from: { a: 1 } }, /mail\.from: no lane takes the lowest/],
    [{ lanes: { a: 'u' }, from: { gone: 1 } }, /mail\.from: "gone" is no lane with a range\. Known are: a\./],
    [{ lanes: { a: 'u', timers: 'u' }, from: { timers: 1 } }, /mail\.from: "timers" is no lane with a range/],
    [{ lanes: { a: 'u', b: 'u' }, from: { b: '1' } }, /mail\.from\.b: "1" is no priority/],
    [{ lanes: { a: 'u', b: 'u', c: 'u' }, from: { b: 1, c: 1 } }, /mail\.from\.b: 1 is the lower bound of another lane/],
    [{ lanes: { a: 'u', b: 'u' }, from: [] }, /mail\.from: it holds no lower bounds/],
    [{ lanes: { a: 'u' }, priority: 1.5 }, /priority of worker "mail" is not a whole number/],
  ])('with lanes like %j is refused when the function starts', (worker, message) => {
    const refused = (): unknown => decodeEnvironment(environment({ [ENVIRONMENT.workers]: JSON.stringify({ mail: worker }) }));
    expect(refused).toThrow(InvalidConfigurationError);
    expect(refused).toThrow(message);
  });

  test.each([ENVIRONMENT.history, ENVIRONMENT.metrics])('with an unknown %s lists the known ones', (variable) => {
    expect(() => decodeEnvironment(environment({ [variable]: 'sometimes' }))).toThrow(
      new RegExp(`^${variable}: "sometimes" is not one of .*off`),
    );
  });

  test('with a setting outside its range is refused when the function starts', () => {
    expect(() => decodeEnvironment(environment({ [ENVIRONMENT.settings]: '{"batchSize":0}' }))).toThrow(InvalidConfigurationError);
    expect(() => decodeEnvironment(environment({ [ENVIRONMENT.settings]: '{"batchSize":"10"}' }))).toThrow(/^batchSize: "10"/);
  });

  test('with settings of a newer version reads the others and names those, so that a roll-back runs', () => {
    const read = decodeEnvironment(environment({ [ENVIRONMENT.settings]: '{"batchSize":4,"ofTomorrowMs":5,"toString":1}' }));
    expect(read.settings).toEqual(resolveSettings({ batchSize: 4 }));
    expect(read.unknownSettings).toEqual(['ofTomorrowMs', 'toString']);
    expect(decodeEnvironment(environment({ [ENVIRONMENT.settings]: '{"batchSize":4}' }))).not.toHaveProperty('unknownSettings');
  });
});

describe('events of a deployment', () => {
  test.each([{ log: true }, { bus: 'arn:aws:events:eu-west-1:1:event-bus/jobs' }, { log: false, bus: 'jobs', on: false }])(
    'survive being written and read: %j',
    (events) => expect(decodeEnvironment(encodeEnvironment({ ...DEPLOYMENT, events })).events).toEqual(events),
  );

  test('are absent where none are named', () => expect(decodeEnvironment(environment())).not.toHaveProperty('events'));

  test.each(['{"log":1}', '{"bus":true}', '{"on":"yes"}', '[]', 'true', '{'])('are refused as %s, by the name of their variable', (text) =>
    expect(() => decodeEnvironment(environment({ [ENVIRONMENT.events]: text }))).toThrow(/^NIGHTCREW_EVENTS: /),
  );
});

test('the version of a function is what Lambda says', () => {
  expect(decodeEnvironment(environment({ AWS_LAMBDA_FUNCTION_VERSION: '42' })).version).toBe('42');
  expect(decodeEnvironment(environment())).not.toHaveProperty('version');
});

test('a client warns of settings that it does not know, when it is first used', () => {
  const record = vi.fn();
  const client = createJobClient({
    environment: environment({ AWS_REGION: 'eu-west-1', [ENVIRONMENT.settings]: '{"ofTomorrow":1}' }),
    journal: { ...silentJournal, record },
  });
  expect(record).not.toHaveBeenCalled();
  client.newId();
  expect(record.mock.calls).toEqual([[{ event: 'unknown-settings', reason: 'ofTomorrow' }]]);
});

describe('a deployment that was connected by name', () => {
  const names = variableNames('billing', 'deployment');
  const both = { ...environment(), ...encodeEnvironment({ ...DEPLOYMENT, name: 'billing', settings: { batchSize: 3 } }, names) };

  test('has variables of its own, beside those of the one without a name', () => {
    expect(decodeEnvironment(both, namedConnection('billing', 'connect'))).toMatchObject({ name: 'billing', settings: { batchSize: 3 } });
    expect(decodeEnvironment(both, namedConnection(undefined, 'connect'))).toMatchObject({ settings: { batchSize: 10 } });
  });

  test('is missed by its variable and the call that sets it', () => {
    const client = createJobClient({ environment: environment(), deployment: 'billing' });
    expect(() => client.newId()).toThrow(/NIGHTCREW_TABLES_billing.*executor\.connect\(fn, \{ name: 'billing' \}\)/s);
    expect(() => createAdmin({ environment: environment(), deployment: 'billing' })).toThrow(
      /NIGHTCREW_TABLES_billing.*executor\.connectOperator\(fn, \{ name: 'billing' \}\)/s,
    );
  });

  test('is refused by a name that no variable could have', () => {
    for (const deployment of ['', 'a-b', '1a', 7 as unknown as string]) {
      expect(() => createJobClient({ environment: both, deployment }).newId()).toThrow(/^deployment: .* is not the name of a connection/);
    }
  });

  test('names the variable that is broken', () => {
    const broken = { ...both, [names.workers]: JSON.stringify({ mail: {} }) };
    expect(() => decodeEnvironment(broken, { names })).toThrow(/^NIGHTCREW_WORKERS_billing: /);
    expect(() => decodeEnvironment({ ...both, [names.events]: '{"log":1}' }, { names })).toThrow(/^NIGHTCREW_EVENTS_billing: /);
  });
});
