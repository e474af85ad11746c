import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type DynamoDBClient, ExecuteStatementCommand } from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { defineLimit } from '../../shared/job/limit.ts';
import { defineSchedule } from '../../shared/features/schedules/model/definition.ts';
import { createDynamoTables } from '../../shared/adapters/dynamodb/tables.ts';
import { seededEntropy } from '../../shared/adapters/memory/seeded-entropy.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';
import { createJobLog } from '../../shared/adapters/observability/job-log.ts';
import { tenantHash } from '../../shared/job/hash.ts';
import { createPowertoolsJournal } from '../../shared/adapters/observability/powertools-journal.ts';
import type { TableName } from '../../shared/ports/tables.ts';
import { idKey } from '../../shared/store/rows.ts';
import { putReport } from '../../shared/features/workers/store/worker-rows.ts';
import { capturedJson } from '../support/captured-stdout.ts';
import { freshTables } from '../support/emulators.ts';
import { take } from '../support/faulty-rig.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const PAGE = readFileSync('docs/operate/aws-console.md', 'utf8');
const blocks = (language: string): readonly string[] =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, block = '']) => block.trim());
const STATEMENTS = blocks('sql');
const QUERIES = blocks('insights');
/** Each with a name on one line. */
const named = (texts: readonly string[]): (readonly [name: string, text: string])[] =>
  texts.map((text) => [text.replace(/\s+/g, ' ').slice(0, 100), text] as const);

const invoice = defineJob('invoice.send', { payload: anyPayload, retry: 'R1/PT1M' });
const narrow = defineJob('narrow', { payload: anyPayload, limits: [defineLimit('narrow', { concurrency: 1 })] });
const unknown = defineJob('nobody.knows', { payload: anyPayload });

let client: DynamoDBClient;
/** What stands in the page for what a reader puts there. */
let meant: readonly (readonly [string, string])[];

/** A job in each place in which the statements look. */
beforeAll(async () => {
  const fresh = await freshTables();
  ({ client } = fresh);
  const clock = new SettableClock();
  const handlers = [
    invoice.handle(({ payload }) => {
      if (payload['fail'] === true) throw new TypeError('no such text');
    }),
    narrow.handle(() => new Promise(() => {})),
  ];
  const tables = createDynamoTables({ client, names: fresh.names, clock, entropy: seededEntropy(7) });
  const rig = new Rig({ clock, tables, handlers });
  const admin = createAdminOver(rig.deps);
  const of = { tenant: 'acme', correlationId: 'text' };
  const dead = await rig.client.enqueue(invoice, { fail: true }, of);
  await rig.client.enqueueMany(invoice, [{}], of);
  await rig.client.enqueue(unknown, {});
  await rig.drain();
  await rig.client.enqueueMany(narrow, [{}, {}]);
  // One holds the slot for as long as the test runs, the other is parked.
  for (const message of rig.hints.receive({ worker: 'default', lane: 'default', kind: 'standard' }, 10)) void rig.execute([message]);
  await rig.settle();
  const running = await rig.client.enqueue(invoice, {}, of);
  await take(rig, running.id);
  await rig.client.enqueue(invoice, {}, { ...of, delay: 'PT5H' });
  await admin.suspend({ tenant: 'other' }, { reason: 'test' });
  for (const name of ['nightly', 'paused'])
    await admin.schedules.put(defineSchedule(name, { job: invoice, payload: {}, cron: '0 2 * * *' }));
  await admin.schedules.pause('paused');
  await putReport(tables, { worker: 'default', version: '1', kind: 'lambda', types: ['invoice.send'], at: clock.now() });
  await rig.sweep();
  const row = await tables.get('deadLetters', idKey(dead.id));
  meant = [
    ...(Object.entries(fresh.names) as [TableName, string][]).map(
      ([name, physical]) => [`"${name[0]?.toUpperCase()}${name.slice(1)}"`, `"${physical}"`] as const,
    ),
    ['no-handler#TYPE', 'no-handler#nobody.knows'],
    ['TYPE', 'invoice.send'],
    ['TENANT', 'acme'],
    ['TEXT', 'text'],
    ['FINGERPRINT', String(row?.['fingerprint'])],
    ['2026-01-31T08:00:00.000Z', new Date(clock.now() + 86_400_000).toISOString()],
    ['2026-01-31', new Date(clock.now()).toISOString().slice(0, 10)],
    // A job that runs is in Jobs, a dead one is not.
    [`"${fresh.names.jobs}" WHERE id = 'JOB-ID'`, `"${fresh.names.jobs}" WHERE id = '${running.id}'`],
    ['JOB-ID', dead.id],
  ];
});

const filledIn = (statement: string): string => meant.reduce((text, [from, to]) => text.replaceAll(from, to), statement);

describe('the PartiQL statements of the page', () => {
  it('are there for every table', () => {
    for (const table of ['Jobs', 'Timers', 'DeadLetters', 'Suspended', 'Control', 'History']) {
      expect(STATEMENTS.some((statement) => statement.includes(`"${table}"`))).toBe(true);
    }
  });

  it.each(named(STATEMENTS))('find what they say, with every attribute that they name: %s', async (_, statement) => {
    const { Items = [] } = await client.send(new ExecuteStatementCommand({ Statement: filledIn(statement) }));
    expect(Items.length).toBeGreaterThan(0);
    const wanted = /^SELECT (.+?)\s+FROM/s.exec(statement)?.[1] ?? '';
    const names = wanted === '*' ? [] : wanted.split(',').map((name) => name.trim().replaceAll('"', ''));
    const found = new Set(Items.flatMap((item) => Object.keys(item)));
    expect(names.filter((name) => !found.has(name))).toEqual([]);
  });

  it.each(named(STATEMENTS))('change nothing: %s', (_, statement) => expect(statement).toMatch(/^SELECT /));
});

it('a dead letter has every attribute that the page explains, but the group that this one has not', async () => {
  const [item] = (await client.send(new ExecuteStatementCommand({ Statement: filledIn(STATEMENTS[0] ?? '') }))).Items ?? [];
  const table = PAGE.slice(PAGE.indexOf('## Attributes of a dead letter'), PAGE.indexOf('## PartiQL'));
  const attributes = [...table.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
  );
  expect(attributes.length).toBeGreaterThan(20);
  const has = Object.keys(item ?? {});
  expect(attributes.filter((name) => !has.includes(name))).toEqual(['group']);
  for (const name of attributes.filter((one) => one !== 'group')) expect(Object.keys(item?.[name] ?? {})[0]).toMatch(/^[SN]$/);
});

/** Names that CloudWatch, Lambda or the language give, and what stands for a value. */
const GIVEN = /^(@timestamp|@message|@logStream|record\.status)$/;
const WORDS = /^(fields|filter|sort|stats|limit|by|as|asc|desc|in|like|and|or|count|min|max|times|first|last|\d+)$/;

describe('the Logs Insights queries of the page', () => {
  const job = { id: 'job-1', type: 'invoice.send', worker: 'default', tenant: 'acme', attempt: 1 };
  const error = { name: 'E', message: 'm', at: 0 };
  const lines = capturedJson(() => {
    const journal = createPowertoolsJournal({ metrics: 'off', service: 'executor' });
    journal.record({ event: 'dead-lettered', job, reason: 'crash-loop', error });
    journal.record({ event: 'retried', job, error });
    const denied = 'X is not authorized to perform: dynamodb:PutItem on resource: arn:aws:dynamodb:::table/Jobs';
    journal.record({ event: 'store-failed', reason: 'shard#1f', error: { ...error, message: denied } });
    createJobLog(job).warn('odd');
  });
  const logged = new Set(lines.flatMap((line) => Object.keys(line)));

  it('are there', () => expect(QUERIES.length).toBeGreaterThan(5));

  it.each(named(QUERIES))('name only fields that log lines have: %s', (_, query) => {
    const code = query.replace(/"[^"]*"/g, '').replace(/\/[^/\n]*\//g, '');
    const words = code.match(/@?[A-Za-z_][\w.]*|\d+/g) ?? [];
    expect(words.filter((word) => !logged.has(word) && !GIVEN.test(word) && !WORDS.test(word))).toEqual([]);
  });

  it.each(named(QUERIES))('look for messages that are logged: %s', (_, query) => {
    const messages = new Set(lines.map((line) => String(line['message'])));
    for (const [, message = ''] of query.matchAll(/(?<!@)\bmessage = "([^"]+)"/g)) expect(messages).toContain(message);
  });

  it('find a tenant by the hash that the page says', () => {
    const script = /^node -p '(.+)'$/m.exec(PAGE)?.[1] ?? '';
    expect(execFileSync(process.execPath, ['-p', script.replace('TENANT', 'acme')], { encoding: 'utf8' }).trim()).toBe(tenantHash('acme'));
  });
});
