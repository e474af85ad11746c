import * as z from 'zod/mini';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { runCli } from '../../cli/run-cli.ts';
import { systemIo } from '../../cli/system-io.ts';
import { type Region, startRegion } from '../../local/region.ts';
import { createJobClient, defineJob, fail, type JobClient } from '../../shared/index.ts';
import { silentJournal } from '../../shared/adapters/observability/silent-journal.ts';
import { createExecutor } from '../../functions/index.ts';
import { fakeTerminal } from './fake-terminal.ts';
import { WAIT } from '../support/patience.ts';

const HOSTILE = 'no such \u001b[2Jfile';
const render = defineJob('invoice.render', { payload: z.object({ file: z.string() }), history: 'attempts' });
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

let region: Region;
let jobs: JobClient;

beforeAll(async () => {
  const handled = render.handle(({ payload }) => (payload.file === 'missing' ? fail(HOSTILE) : undefined));
  region = await startRegion({
    workers: {
      default: {
        createExecutor: (environment, sandbox) =>
          createExecutor([handled], { environment, sandbox, journal: silentJournal, log: () => log }),
      },
    },
    journal: silentJournal,
    hostEnvironment: {},
  });
  jobs = createJobClient({ environment: region.environment, journal: silentJournal });
});

afterAll(async () => region.stop(0));

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly questions: readonly string[];
}

async function nightcrew(args: readonly string[], answers: readonly string[] = []): Promise<Ran> {
  const { openAdmin, openDoctor, now } = systemIo();
  const files: Readonly<Record<string, string>> = Object.fromEntries(
    ['one', 'two'].map((name) => [
      `${name}.env`,
      [...Object.entries(region.environment), ['NIGHTCREW_DEPLOYMENT', name]].map(([key, value]) => `${key}='${value ?? ''}'`).join('\n'),
    ]),
  );
  const readText = async (path: string): Promise<string> => Promise.resolve(files[path] ?? Promise.reject(new Error('no such file')));
  const terminal = fakeTerminal({ environment: region.environment, openAdmin, openDoctor, now, readText, answers });
  const code = await runCli(args, terminal.io);
  return { code, out: terminal.out(), err: terminal.err(), questions: terminal.questions };
}

async function data<Value>(...args: readonly string[]): Promise<Value> {
  const { out, err, code } = await nightcrew([...args, '--json']);
  if (out === '') throw new Error(`exit ${code}: ${err}`);
  return JSON.parse(out) as Value;
}

interface Page {
  readonly jobs: readonly { readonly id: string; readonly type: string; readonly fingerprint: string; readonly state: string }[];
}

/** That many dead letters of the same fault, of a tenant of their own. */
async function buried(count: number, tenant: string): Promise<readonly string[]> {
  await jobs.enqueueMany(
    render,
    Array.from({ length: count }, () => ({ file: 'missing' })),
    { tenant },
  );
  return vi.waitFor(async () => {
    const page = await data<Page>('dead-letters', 'list', '--tenant', tenant);
    expect(page.jobs).toHaveLength(count);
    return page.jobs.map(({ id }) => id);
  }, WAIT);
}

describe('an operator at the command line', () => {
  test('finds a dead letter, has it explained, edits and redrives it, and sees it completed', async () => {
    const [id = ''] = await buried(1, 'fix');
    const listed = await nightcrew(['dead-letters']);
    expect(listed.out).toContain(id);
    expect(listed.out).toContain('no such');
    expect(listed.out).not.toContain('\u001b');
    expect((await nightcrew(['explain', id])).out).toContain('dead');
    expect((await nightcrew(['dead-letters', 'show', id])).out).toContain('"file":"missing"');
    expect(await nightcrew(['dead-letters', 'edit', id, '--payload', '{"file":"there"}', '--redrive'])).toMatchObject({
      code: 0,
      out: `${id}  edited, redriven\nChecked as JSON only: the command line does not know the schema of its type. createAdmin({ jobs }) does.\n`,
    });
    await vi.waitFor(async () => expect(await data('jobs', 'show', id)).toMatchObject({ state: 'finished', outcome: 'completed' }), WAIT);
    expect(await nightcrew(['dead-letters', 'redrive', id])).toMatchObject({ code: 3 });
    expect((await nightcrew(['audit'])).out).toMatch(/ada +redrive/);
  });

  test('redrives all of one fault, having typed how many they are', async () => {
    const ids = await buried(3, 'bulk');
    const [first] = (await data<Page>('dead-letters', 'list', '--tenant', 'bulk')).jobs;
    const group = first?.fingerprint ?? '';
    await vi.waitFor(async () => expect((await nightcrew(['dead-letters', 'groups'])).out).toContain(group), WAIT);
    const filter = ['--fingerprint', group, '--tenant', 'bulk', '--at', '+1h'];
    expect(await nightcrew(['dead-letters', 'redrive', ...filter])).toMatchObject({ code: 2, out: '' });
    expect(await nightcrew(['dead-letters', 'redrive', ...filter], ['2'])).toMatchObject({ code: 2, out: '' });
    expect(await data('dead-letters', 'count', '--tenant', 'bulk')).toMatchObject({ dead: 3, total: 3 });
    expect(await data('dead-letters', 'redrive', ...filter, '--dry-run')).toMatchObject({ matched: 3, status: 'dry-run' });
    const done = await nightcrew(['dead-letters', 'redrive', ...filter, '--reason', 'the share is back'], ['3']);
    expect(done).toMatchObject({ code: 0, out: 'done: 3 done of 3 matched, 0 failed.\n' });
    expect(done.questions[0]).toContain(`3 dead letters with fingerprint ${group}, tenant bulk will be redriven in `);
    const waiting = await data<Page>('timers', 'list', '--tenant', 'bulk');
    expect(waiting.jobs.map(({ id }) => id).toSorted()).toEqual([...ids].toSorted());
    expect(await nightcrew(['timers', 'cancel', '--tenant', 'bulk', '--yes'])).toMatchObject({ code: 0 });
    expect((await nightcrew(['bulks'])).out).toMatch(/cancel +done +3\/3/);
    expect((await nightcrew(['audit'])).out).toContain('the share is back');
  });

  test('suspends a tenant, finds its job held, and resumes it', async () => {
    expect(await nightcrew(['suspensions', 'begin', '--tenant', 'held', '--reason', 'unpaid', '--until', '2h'])).toMatchObject({ code: 0 });
    expect((await nightcrew(['suspensions'])).out).toMatch(/tenant#held +in-force .*ada +unpaid/);
    // An executor goes by it five seconds later at the latest; what comes before runs.
    const id = await vi.waitFor(async () => {
      await jobs.enqueue(render, { file: 'x' }, { tenant: 'held' });
      const [held] = (await data<Page>('suspended', 'list', '--cause', 'tenant#held')).jobs;
      return held?.id ?? expect.unreachable('nothing is held yet');
    }, WAIT);
    expect(await data('jobs', 'show', id)).toMatchObject({ state: 'suspended', cause: 'tenant#held' });
    expect(await nightcrew(['suspended', 'run-now', id])).toMatchObject({ code: 0, out: `${id}  started\n` });
    expect(await nightcrew(['suspensions', 'end', '--tenant', 'held'])).toMatchObject({ code: 0 });
    expect(await nightcrew(['suspensions', 'end', '--tenant', 'held'])).toMatchObject({ code: 3 });
  });

  test('makes a schedule with bounds, changes them, and removes them again', async () => {
    const bounds = ['--from', '2090-01-01', '--until', '2090-12-31T23:00:00Z', '--max-runs', '9'];
    const rules = ['--jitter', '5m', '--dst-gap', 'skip', '--dst-overlap', 'both'];
    const when = ['--cron', '30 2 * * *', '--in-zone', 'Europe/Berlin', ...bounds, ...rules];
    expect(await nightcrew(['schedules', 'put', 'reports', '--type', 'invoice.render', '--worker', 'default', ...when])).toMatchObject({
      code: 0,
    });
    const stored = async () => (await data<{ readonly definition: object }>('schedules', 'show', 'reports')).definition;
    const [from, until] = ['2090-01-01T00:00:00.000Z', '2090-12-31T23:00:00.000Z'];
    const recurrence = { cron: '30 2 * * *', zone: 'Europe/Berlin', dst: { gap: 'skip', overlap: 'both' }, from, until };
    expect(await stored()).toMatchObject({ recurrence, maxRuns: 9, jitterMs: 300_000 });
    const change = ['--from', '2090-02-01', '--no-until', '--no-max-runs', '--jitter', 'PT1M'];
    expect(await nightcrew(['schedules', 'edit', 'reports', ...change, '--reason', 'a later start'])).toMatchObject({ code: 0 });
    const { until: _until, ...open } = { ...recurrence, from: '2090-02-01T00:00:00.000Z' };
    expect(await stored()).toMatchObject({ recurrence: open, jitterMs: 60_000 });
    expect(await stored()).not.toHaveProperty('maxRuns');
    expect(await nightcrew(['schedules', 'edit', 'reports', '--no-from', '--no-dst', '--no-jitter'])).toMatchObject({ code: 0 });
    expect(await stored()).toMatchObject({ recurrence: { cron: '30 2 * * *', zone: 'Europe/Berlin' }, jitterMs: 0 });
    expect((await nightcrew(['audit'])).out).toContain('a later start');
    expect(await nightcrew(['schedules', 'delete', 'reports', '--yes'])).toMatchObject({ code: 0 });
  });

  test('sees workers, heartbeats, groups, limits, batches and statistics', async () => {
    await vi.waitFor(async () => expect((await nightcrew(['stats', 'heartbeats'])).out).toMatch(/sweeper +\S+/), WAIT);
    await jobs.enqueue(render, { file: 'there' });
    await vi.waitFor(async () => expect((await nightcrew(['workers', '--json'])).out).toContain('"types":["invoice.render"]'), WAIT);
    for (const args of [
      ['workers'],
      ['groups'],
      ['stats'],
      ['stats', 'limits'],
      ['batches'],
      ['schedules'],
      ['priorities'],
      ['jobs', 'count'],
    ]) {
      const { code, out, err } = await nightcrew(args);
      expect({ args, code, err }).toEqual({ args, code: 0, err: '' });
      expect(out).not.toBe('');
    }
  });

  test('has a sound deployment examined', async () => {
    await vi.waitFor(async () => expect((await nightcrew(['stats', 'heartbeats'])).out).toContain('acquirer/0'), WAIT);
    const { code, out } = await nightcrew(['doctor']);
    expect(out).not.toContain('failed  ');
    expect(out).toContain('back in its queue within');
    expect({ code, out }).toMatchObject({ code: 0 });
  });

  test('looks at several deployments side by side, and changes only one', async () => {
    const both = ['--env-file', 'one.env', '--env-file', 'two.env'];
    const { code, out } = await nightcrew(['jobs', 'count', ...both]);
    expect({ code, out }).toMatchObject({ code: 0 });
    expect(out).toMatch(/DEPLOYMENT[\s\S]*one[\s\S]*two/);
    expect(Object.keys(await data('jobs', 'count', ...both))).toEqual(['one', 'two']);
    expect(await nightcrew(['jobs', 'cancel', '--tenant', 'x', '--yes', ...both])).toMatchObject({ code: 2, out: '' });
  });
});
