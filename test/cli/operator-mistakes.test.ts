import { describe, expect, test } from 'vitest';
import { runCli } from '../../cli/run-cli.ts';
import { createAdminOver } from '../../operate/admin.ts';
import type { Row } from '../../shared/ports/tables.ts';
import type { JobState } from '../../shared/job/job.ts';
import { auditPage } from '../../shared/features/audit/store/audit.ts';
import { Rig } from '../support/rig.ts';
import { strewJobs } from '../support/strewn-jobs.ts';
import { fakeTerminal } from './fake-terminal.ts';

const NOWHERE = '01a1ff1d-5686-7949-88c8-e8269ab9006e';

/** A deployment with jobs in every state, and the command line over it. */
async function deployment() {
  const rig = new Rig();
  const jobs = await strewJobs(rig.tables, rig.clock.now(), 147);
  const admin = createAdminOver(rig.deps);
  return {
    rig,
    admin,
    idsIn: (state: JobState, worker?: string) =>
      jobs.filter((job) => job.state === state && (worker === undefined || job.worker === worker)).map(({ id }) => id),
    rows: async (): Promise<readonly Row[]> =>
      (
        await Promise.all(
          (['jobs', 'timers', 'suspended', 'deadLetters', 'control'] as const).map(
            async (table) => (await rig.tables.scan({ table, limit: 10_000, segment: 0, segments: 1 })).rows,
          ),
        )
      ).flat(),
    nightcrew: async (...args: readonly string[]) => {
      const terminal = fakeTerminal({ environment: { NIGHTCREW_TABLES: '{}', NIGHTCREW_DEPLOYMENT: 'shop' }, admin });
      const code = await runCli(args, terminal.io);
      return { code, out: terminal.out(), err: terminal.err() };
    },
  };
}

describe('a command that is given nothing, as by an empty variable of a script', () => {
  test.each([
    ['dead-letters delete --yes'],
    ['dead-letters redrive --yes'],
    ['dead-letters set-retries --retries 3 --yes'],
    ['timers cancel --yes'],
    ['suspended resume --yes'],
    ['jobs cancel --yes'],
  ])('%s: does nothing, and says what is missing', async (line) => {
    const { nightcrew, rows } = await deployment();
    const before = await rows();
    expect(await nightcrew(...line.split(' '))).toMatchObject({ code: 2, out: '', err: expect.stringContaining('name the jobs') });
    expect(await rows()).toEqual(before);
  });

  test.each([
    ['dead-letters', 'delete', '--yes', ''],
    ['dead-letters', 'delete', '--yes', '--id', ''],
    ['dead-letters', 'delete', '--yes', '--text', ''],
    ['dead-letters', 'delete', '--yes', '--fingerprint', ' '],
    ['dead-letters', 'delete', '--yes', '--tenant-prefix', ''],
    ['dead-letters', 'delete', '--yes', '--type', 'mail', '--correlation-id', ''],
    ['dead-letters', 'delete', '--yes', '--all', '--type', 'mail'],
    ['dead-letters', 'delete', '--yes', '--all', NOWHERE],
  ])('%s %s %s %s %s %s %s: is refused, and nothing is written', async (...args) => {
    const { nightcrew, rows } = await deployment();
    const before = await rows();
    expect(await nightcrew(...args.filter((arg) => arg !== undefined))).toMatchObject({ code: 2, out: '' });
    expect(await rows()).toEqual(before);
  });

  test('means everything only when --all says so', async () => {
    const { nightcrew, idsIn, admin } = await deployment();
    const { code, out } = await nightcrew('dead-letters', 'delete', '--all', '--yes', '--json');
    expect({ code, done: (JSON.parse(out) as { readonly done: number }).done }).toEqual({ code: 0, done: idsIn('dead').length });
    expect((await admin.count({ state: 'dead' })).total).toBe(0);
  });
});

describe('ids', () => {
  test('that are nowhere or at their end are named by cancel, which ends with 3', async () => {
    const { nightcrew, idsIn } = await deployment();
    const [[running = ''], [finished = '']] = [idsIn('running'), idsIn('finished')];
    const { code, out } = await nightcrew('jobs', 'cancel', running, NOWHERE, finished);
    expect(code).toBe(3);
    expect(out).toContain(`${NOWHERE}  left alone: not-found\n${finished}  left alone: finished\n`);
    expect(out).toContain('done: 1 done of 1 matched');
    const alone = await nightcrew('jobs', 'cancel', NOWHERE, '--json');
    expect({ code: alone.code, out: JSON.parse(alone.out) as unknown }).toEqual({
      code: 3,
      out: { jobs: [{ id: NOWHERE, outcome: 'not-found', done: false }] },
    });
  });

  test('are named by a bulk action over them too, and by its dry run', async () => {
    const { nightcrew, idsIn } = await deployment();
    const [dead = '', other = ''] = idsIn('dead', 'default');
    const counted = await nightcrew('dead-letters', 'redrive', dead, NOWHERE, '--dry-run');
    expect(counted).toMatchObject({ code: 3, out: expect.stringContaining(`${NOWHERE}  left alone: not-found`) });
    expect(counted.out).toMatch(/^1 dead letter .* would be redriven/);
    const acted = await nightcrew('dead-letters', 'redrive', dead, NOWHERE, '--reason', 'repaired', '--json');
    expect({ code: acted.code, out: JSON.parse(acted.out) as unknown }).toMatchObject({
      code: 3,
      out: { done: 1, jobs: [{ id: NOWHERE, outcome: 'not-found', done: false }] },
    });
    expect((await nightcrew('dead-letters', 'redrive', other, '--reason', 'repaired')).code).toBe(0);
  });

  test.each<[string, JobState]>([
    ['timers cancel', 'running'],
    ['timers run-now', 'suspended'],
    ['timers set-due-date --at 1h', 'dead'],
    ['suspended cancel', 'waiting'],
    ['suspended resume', 'waiting'],
    ['dead-letters set-retries --retries 3', 'waiting'],
    ['dead-letters delete', 'ready'],
  ])('%s: leaves alone what is %s', async (line, state) => {
    const { nightcrew, idsIn, rows } = await deployment();
    const [id = ''] = idsIn(state);
    const before = await rows();
    expect(await nightcrew(...line.split(' '), id)).toMatchObject({ code: 3, out: `${id}  left alone: ${state}\n` });
    expect(await rows()).toEqual(before);
  });

  test('are a mistake in the command where its arguments are wrong for each of them', async () => {
    const { nightcrew, idsIn, rows } = await deployment();
    const before = await rows();
    const wrong = await nightcrew('dead-letters', 'set-retries', ...idsIn('dead').slice(0, 2), '--retries', '-3');
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('-3') });
    expect(await rows()).toEqual(before);
  });

  test('do not go with --limit, which would leave some of them out', async () => {
    const { nightcrew, idsIn, rows } = await deployment();
    const before = await rows();
    expect(await nightcrew('dead-letters', 'redrive', ...idsIn('dead').slice(0, 3), '--limit', '1')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--limit needs a filter'),
    });
    expect(await rows()).toEqual(before);
  });
});

test('an entry of the audit tells who switched the deployment off, and how it went', async () => {
  const { admin, rig } = await deployment();
  const targets = { schedules: [], eventSourceMappings: [] };
  const status = { schedules: {}, eventSourceMappings: {} };
  const failure = new AggregateError(
    [Object.assign(new Error('tick acquire: no'), { name: 'AccessDeniedException' })],
    '1 of 3 switches failed.',
  );
  const run = async (failing: boolean) => {
    const act = async () => (failing ? Promise.reject(failure) : Promise.resolve(status));
    const terminal = fakeTerminal({
      admin,
      environment: { NIGHTCREW_TABLES: '{}', NIGHTCREW_ACTIVATION: JSON.stringify(targets) },
      openActivation: async () => Promise.resolve({ activate: act, deactivate: act, status: act }),
    });
    return { code: await runCli(['deactivate', '--yes', '--reason', 'runaway job'], terminal.io), err: terminal.err() };
  };
  expect(await run(false)).toEqual({ code: 0, err: '' });
  await rig.clock.advance(1_000);
  expect(await run(true)).toEqual({
    code: 1,
    err: 'nightcrew deactivate: 1 of 3 switches failed.\n  AccessDeniedException: tick acquire: no\n',
  });
  const day = new Date(rig.clock.now()).toISOString().slice(0, 10);
  expect((await auditPage(rig.tables, day, { limit: 10 })).rows).toMatchObject([
    { verb: 'deployment.deactivate', actor: 'ada', reason: 'runaway job', detail: '1 of 3 switches failed.' },
    { verb: 'deployment.deactivate', actor: 'ada', reason: 'runaway job' },
  ]);
});
