import { describe, expect, it } from 'vitest';
import { type AdminOptions, createAdmin } from '../../../operate/create-admin.ts';
import type { JobClientOptions } from '../../../shared/client/job-client-options.ts';
import { encodeEnvironment } from '../../../shared/config/environment.ts';
import { InvalidInputError } from '../../../shared/job/errors.ts';
import { TABLE_NAMES } from '../../../shared/ports/table-spec.ts';
import type { TableName } from '../../../shared/ports/tables.ts';
import {
  createAcquirer,
  createExecutor,
  createHttpApi,
  createSweeper,
  external,
  type HttpApiOptions,
  runWorker,
  type RunWorkerOptions,
} from '../../../functions/index.ts';
import type { ExternalOptions } from '../../../functions/worker/external/create-external.ts';
import type { AcquirerOptions } from '../../../functions/acquirer/create-acquirer.ts';
import { type CleanerOptions, createCleaner } from '../../../functions/cleaner/create-cleaner.ts';
import type { FunctionOptions } from '../../../shared/lambda/lambda-handler.ts';
import type { ExecutorOptions } from '../../../functions/executor/create-executor.ts';
import { createJobClient } from '../../../shared/index.ts';
import { eachOptionRefuses, type Wrong } from '../../support/wrong-values.ts';

const tables = Object.fromEntries(TABLE_NAMES.map((name) => [name, name])) as Record<TableName, string>;
const ENVIRONMENT = encodeEnvironment({ tables, workers: { default: { lanes: { default: 'q' } } }, worker: 'default' });
const STRANGER = { path: '', stranger: 'options: "unheardOfOption" is not valid. Known are: ' } as const;
const FUNCTION: readonly [Wrong, Wrong] = [
  ['x', ': "x" is not valid. Give a function.'],
  [{}, ': an object is not valid. Give a function.'],
];

const CONNECTION = {
  environment: [
    [5, ': 5 is not valid. Give an object of variables by name.'],
    [null, ': null is not valid.'],
  ],
  journal: [
    ['x', ': "x" is not valid. Give a Journal, or leave it out.'],
    [{ record: () => {}, gauge: () => {} }, ': an object is not valid.'],
  ],
  onEvent: FUNCTION,
  eventSinks: [
    [{}, ': an object is not valid. Give an array.'],
    [[{ name: 'mine' }], '[0]: an object is not valid. Give an EventSink, such as createEventBridgeSink({ bus }).'],
    [[null], '[0]: null is not valid.'],
  ],
  ports: [
    [{}, ': an object is not valid. Give tables, hints or both, or leave ports out.'],
    [{ tables: { get: () => {} } }, '.tables.write: undefined is not valid. Give an adapter with this method.'],
  ],
} as const;

const HANDLERS = {
  around: [
    [() => {}, ': a function is not valid. Give an array.'],
    [[() => {}, 5], '[1]: 5 is not valid. Give a function.'],
  ],
  retry: [['often', ': "often" is not valid.']],
  onError: FUNCTION,
  retryFor: FUNCTION,
  isConflict: FUNCTION,
  log: FUNCTION,
  onSession: FUNCTION,
  tracing: [[{}, ': an object is not valid. Give openTelemetry(api) of nightcrew/opentelemetry.']],
  sandbox: [[{}, ': an object is not valid. Give a Sandbox, or leave it out.']],
  limits: [[[{}], ': an array is not valid. Give an array of limits']],
  tenantConcurrency: [[0, ': 0 is not valid.']],
} as const;

const DEPLOYMENT: readonly [Wrong] = [[5, ': 5 is not the name of a connection.']];

describe('createExecutor', () => {
  eachOptionRefuses<ExecutorOptions>({
    ...STRANGER,
    give: (options) => createExecutor([], options),
    wrong: { ...CONNECTION, ...HANDLERS },
  });
});

describe('createJobClient', () => {
  eachOptionRefuses<JobClientOptions>({
    ...STRANGER,
    give: (options) => createJobClient(options),
    wrong: {
      ...CONNECTION,
      deployment: DEPLOYMENT,
      beforeCreate: [
        [() => {}, ': a function is not valid. Give an array.'],
        [[5], '[0]: 5 is not valid. Give a function.'],
      ],
      tracing: HANDLERS.tracing,
    },
  });
});

describe('createAdmin', () => {
  eachOptionRefuses<AdminOptions>({
    ...STRANGER,
    give: (options) => createAdmin(options),
    wrong: {
      ...CONNECTION,
      deployment: DEPLOYMENT,
      actor: [[5, ': a number is not valid. Use a text.']],
      jobs: [
        [{}, ': an object is not valid. Give an array.'],
        [['order.charge'], '[0]: "order.charge" is not valid. Give job types, made by defineJob.'],
      ],
    },
  });
});

describe('createAcquirer', () => {
  eachOptionRefuses<AcquirerOptions>({
    ...STRANGER,
    give: (options) => createAcquirer(options),
    wrong: { ...CONNECTION, schedules: [[[], ': an array is not valid. Give a function.']] },
  });
});

describe('createSweeper', () => {
  eachOptionRefuses<FunctionOptions>({ ...STRANGER, give: (options) => createSweeper(options), wrong: CONNECTION });
});

describe('createCleaner', () => {
  eachOptionRefuses<CleanerOptions>({
    ...STRANGER,
    give: (options) => createCleaner(options),
    wrong: { ...CONNECTION, payloads: [[{}, ': an object is not valid. Give a payload store.']] },
  });
});

describe('createHttpApi', () => {
  eachOptionRefuses<HttpApiOptions>({
    ...STRANGER,
    give: (options) => createHttpApi(options),
    wrong: {
      ...CONNECTION,
      workers: [
        [{}, ': an object is not valid. Give an array.'],
        [['Scanner'], '[0]: "Scanner" is not valid. Use a lower-case letter'],
      ],
    },
  });
});

describe('external', () => {
  const { environment, journal, ports } = CONNECTION;
  eachOptionRefuses<ExternalOptions>({
    ...STRANGER,
    give: (options) => external('default', { environment: ENVIRONMENT, ...options }),
    wrong: {
      environment,
      journal,
      ports,
      types: [
        [{}, ': an object is not valid. Give an array.'],
        [['order.charge'], '[0]: "order.charge" is not valid. Give job types, made by defineJob.'],
      ],
      lanes: [[[], ': ']],
    },
  });
});

describe('runWorker', () => {
  const wrong: Readonly<Record<keyof RunWorkerOptions, readonly Wrong[]>> = {
    ...CONNECTION,
    ...HANDLERS,
    concurrency: [['2', ': "2" is not valid.']],
    drain: [['soon', ': "soon"']],
    lanes: [[[], ': ']],
    signal: [[{}, ': an object is not valid. Give an AbortSignal, or leave it out.']],
  };
  const cases = Object.entries(wrong).flatMap(([name, values]) => values.map(([value, says]) => [name, value, says] as const));

  it.each(cases)('%s refuses %o, and says why', async (name, value, says) => {
    const options = { environment: ENVIRONMENT, [name]: value };
    await expect(runWorker([], options)).rejects.toThrow(`${name}${says}`);
  });
});

it.each([null, 5, []])('%o is refused in place of options', (options) => {
  const refused = expect.objectContaining({ message: expect.stringContaining('options: ') as string, code: 'INVALID_INPUT' });
  expect(() => createExecutor([], options as never)).toThrow(refused);
  expect(() => createJobClient(options as never)).toThrow(refused);
  expect(() => createAcquirer(options as never)).toThrow(refused);
  expect(() => createSweeper(options as never)).toThrow(refused);
  expect(() => createAdmin(options as never)).toThrow(InvalidInputError);
});
