import { expect, it } from 'vitest';
import { InvalidConfigurationError, InvalidInputError } from '../../../shared/job/errors.ts';
import { defineJob, type HandledJob } from '../../../shared/job/job-type.ts';
import { type AnyLimit, defineLimit } from '../../../shared/job/limit.ts';
import { createExecutor } from '../../../functions/index.ts';
import { configureExecutor, workerLimits } from '../../../functions/executor/configure-executor.ts';
import { anyPayload, Rig } from '../../support/rig.ts';

const handled = (name: string, limits: readonly AnyLimit[]): HandledJob =>
  defineJob(name, { payload: anyPayload, limits }).handle(() => undefined);
const two = defineLimit('stripe', { concurrency: 2 });
const three = defineLimit('stripe', { concurrency: 3 });

it('an executor is not built over two limits of one name that disagree', () => {
  expect(() => createExecutor([handled('a', [two]), handled('b', [three])])).toThrow(InvalidConfigurationError);
  expect(() => createExecutor([handled('a', [two])], { limits: [three] })).toThrow(/"stripe"/);
  expect(() => createExecutor([handled('a', [two]), handled('b', [two])], { limits: [two] })).not.toThrow();
});

it('an executor is not built with a tenant cap of zero, or with a limit that is none', () => {
  expect(() => createExecutor([], { tenantConcurrency: 0 })).toThrow(InvalidInputError);
  expect(() => createExecutor([], { limits: [{}] as never })).toThrow(/defineLimit/);
  expect(() => handled('a', ['stripe'] as never)).toThrow(/limits/);
});

it('a worker without limits carries none, so that nothing is asked for its jobs', () => {
  expect(workerLimits(new Map(), {})).toEqual({});
  expect(workerLimits(new Map(), { tenantConcurrency: 4 }).limits).toMatchObject([{ name: 'tenant/default', n: 4 }]);
});

it('caps the tenants of each worker apart', () => {
  const train = defineJob('train', { payload: anyPayload, worker: 'gpu' }).handle(() => undefined);
  expect(workerLimits(new Map([['train', train]]), { tenantConcurrency: 4 }).limits).toMatchObject([{ name: 'tenant/gpu' }]);
});

it('caps the tenants of a renamed worker under its present name, although its types name the former one', () => {
  const train = defineJob('train', { payload: anyPayload, worker: 'gpu' }).handle(() => undefined);
  const { deps } = new Rig();
  const { connect } = configureExecutor([train], { log: deps.log, sandbox: deps.sandbox, tenantConcurrency: 4 });
  const { limits } = connect({ ...deps, hints: { ...deps.hints, ...deps.inbox }, deployment: { ...deps.deployment, worker: 'ml' } });
  expect(limits).toMatchObject([{ name: 'tenant/ml', n: 4 }]);
});
