import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleEntry } from '../../infra/esbuild-bundle.ts';
import { EVENT_LOG_PERMISSIONS, EVENT_SWITCH_PERMISSIONS } from '../../infra/event-permissions.ts';
import { unusedPackages } from '../../infra/event-references.ts';
import { JobExecutor } from '../../infra/job-executor.ts';
import { createEvents } from '../../shared/lambda/connect-events.ts';
import { resolveSettings } from '../../shared/config/settings.ts';
import { seededEntropy } from '../../shared/adapters/memory/seeded-entropy.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';
import { createMemoryTables } from '../../shared/adapters/memory/tables.ts';
import { silentJournal } from '../../shared/adapters/observability/silent-journal.ts';
import { actionsOn, executorTemplate, quickApp, resources, statementsOf, WORKER_ENTRY } from './synth.ts';

const folder = mkdtempSync(join(tmpdir(), 'nightcrew-events-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A deployment with a log, a bus, and a function that enqueues. */
function withEvents(): Template {
  const stack = new Stack(quickApp(), 'Shop');
  const bus = new EventBus(stack, 'Bus');
  const jobs = new JobExecutor(stack, 'Jobs', { workers: { default: { entry: WORKER_ENTRY } }, events: { log: true, bus, on: false } });
  const fn = new LambdaFunction(stack, 'Orders', { code: Code.fromInline('x'), handler: 'index.handler', runtime: Runtime.NODEJS_24_X });
  jobs.connect(fn);
  return Template.fromStack(stack);
}

const environmentOf = (template: Template, part: string): string =>
  JSON.stringify(
    Object.entries(resources(template, 'AWS::Lambda::Function')).find(([id]) => id.includes(part))?.[1].Properties['Environment'] ?? {},
  );

let template: Template;
beforeAll(() => void (template = withEvents()));

describe('events of a deployment', () => {
  it.each(['JobsWorkerdefault', 'JobsAcquirer', 'JobsSweeper'])(
    'let %s put events on that one bus, and write and look up what it needs',
    (part) => {
      const statements = statementsOf(template, part);
      expect(actionsOn(statements, 'Bus')).toEqual(['events:PutEvents']);
      expect(actionsOn(statements, 'JobsTablesHistory')).toContain('dynamodb:BatchWriteItem');
      expect(actionsOn(statements, 'JobsTablesControl')).toContain('dynamodb:Query');
      expect(environmentOf(template, part)).toMatch(/NIGHTCREW_EVENTS.*log.*bus.*Bus.*on.*false/);
    },
  );

  it('let a connected function write to the log, and have no bus', () => {
    const statements = statementsOf(template, 'OrdersServiceRole');
    expect(actionsOn(statements, 'Bus')).toEqual([]);
    expect(actionsOn(statements, 'JobsTablesHistory')).toContain('dynamodb:BatchWriteItem');
    const environment = environmentOf(template, 'Orders');
    expect(environment).toContain('NIGHTCREW_EVENTS');
    expect(environment).not.toContain('bus');
  });

  it('cost nothing where there are none: no variable, no action on a bus, no further table action', () => {
    const plain = executorTemplate();
    for (const part of ['JobsWorkerdefault', 'JobsAcquirer', 'JobsSweeper'])
      expect(environmentOf(plain, part)).not.toContain('NIGHTCREW_EVENTS');
    expect(JSON.stringify(plain.toJSON())).not.toContain('events:PutEvents');
    expect(actionsOn(statementsOf(plain, 'JobsAcquirer'), 'JobsTablesHistory')).not.toContain('dynamodb:BatchWriteItem');
  });

  it('that go nowhere are refused', () => {
    expect(() => executorTemplate({ events: {} })).toThrow(/^events: they go nowhere/);
    expect(() => executorTemplate({ events: { log: false, on: true } })).toThrow(/^events: they go nowhere/);
  });

  it('take exactly the actions that are listed for them', async () => {
    const used = new Set<string>();
    const clock = new SettableClock();
    const inner = createMemoryTables({ clock });
    const watched = new Proxy(inner, {
      get: (target, name: keyof typeof inner) =>
        typeof target[name] !== 'function' || !['get', 'write', 'transact', 'putAll', 'query', 'scan'].includes(name)
          ? target[name]
          : (...given: unknown[]) => {
              const [first] = given as [string | { table: string }];
              used.add(`${typeof first === 'string' ? first : first.table} ${name}`);
              return (target[name] as (...all: unknown[]) => unknown).apply(target, given);
            },
    });
    const deployment = { events: { log: true }, settings: resolveSettings({}) };
    const { journal, flush } = createEvents()({ deployment, tables: watched, journal: silentJournal, clock, entropy: seededEntropy(1) });
    const id = '019b7a3e-0000-7000-8000-000000000000';
    journal.record({ event: 'started', job: { id, type: 'work', worker: 'default', attempt: 1 } });
    await flush();
    expect([...used].toSorted()).toEqual(['control query', 'history putAll']);
    expect([EVENT_LOG_PERMISSIONS.tables, EVENT_SWITCH_PERMISSIONS.tables]).toEqual([
      { history: ['BatchWriteItem'] },
      { control: ['Query'] },
    ]);
  });
});

describe('a bundle', () => {
  const source = (door: string, text: string): string => {
    const entry = join(folder, `${door.replaceAll('/', '-')}.ts`);
    const url = new URL(`../../${door}.ts`, import.meta.url).pathname;
    writeFileSync(entry, text.replace('DOOR', url));
    return entry;
  };
  const bundled = (entry: string, unused: readonly string[]): string => {
    const out = join(folder, 'out');
    bundleEntry(entry, out, true, unused);
    return readFileSync(join(out, 'index.mjs'), 'utf8');
  };

  it('of a producer has nothing of the event bus, whatever is left out', () => {
    const entry = source('shared/index', "import { createJobClient } from 'DOOR';\nexport const jobs = createJobClient();");
    const text = bundled(entry, []);
    expect(text).toContain('NIGHTCREW_TABLES');
    expect(text).not.toMatch(/PutEvents|client-eventbridge/);
  });

  it('of an executor has the SDK of the event bus only where there is one', () => {
    const entry = source('functions/index', "import { createExecutor } from 'DOOR';\nexport const handler = createExecutor([]);");
    expect(bundled(entry, unusedPackages({ log: true }))).not.toContain('AWSEvents');
    expect(bundled(entry, unusedPackages({ bus: {} as never }))).toContain('AWSEvents');
  });
});
