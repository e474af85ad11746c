import { describe, expect, it } from 'vitest';
import { runCli } from '../../../cli/run-cli.ts';
import type { TypeList, TypeView } from '../../../operate/type-view.ts';
import { fakeTerminal } from '../../cli/fake-terminal.ts';
import { schedule, scheduled } from '../../support/scheduled-rig.ts';

const reporting = (worker: string) => ({ worker, current: true }) as TypeView['workers'][number];
const types: TypeList = {
  types: [
    { type: 'report', workers: [reporting('default')] },
    { type: 'mail', workers: [reporting('a'), reporting('b')] },
  ] as unknown as readonly TypeView[],
} as TypeList;
const environment = { NIGHTCREW_TABLES: '{}', NIGHTCREW_DEPLOYMENT: 'shop' };

async function shop() {
  const rig = scheduled();
  await rig.admin.schedules.put(schedule({ cron: '0 9 * * *', exclude: ['SAT'] }));
  const run = async (args: readonly string[], answer?: string) => {
    const terminal = fakeTerminal({ environment, admin: { schedules: rig.admin.schedules, types: async () => Promise.resolve(types) } });
    if (answer !== undefined) Object.assign(terminal.io, { ask: async () => Promise.resolve(answer) });
    const code = await runCli(['schedules', ...args], terminal.io);
    return { code, out: terminal.out(), err: terminal.err() };
  };
  return { rig, run };
}

describe('nightcrew schedules', () => {
  it('edit changes the fields that are named, and show names the excluded days', async () => {
    const { rig, run } = await shop();
    const days = ['--exclude', 'SUN', '--exclude', '12-24/12-26'];
    const edit = [
      'edit',
      'nightly',
      '--cron',
      '0 8 * * *',
      ...days,
      '--payload',
      '{"shop":"berlin"}',
      '--overlap',
      'skip',
      '--reason',
      'new shop',
    ];
    const done = await run([
      ...edit,
      '--max-runs',
      '7',
      '--until',
      '2027-01-01T00:00:00Z',
      '--in-zone',
      'Europe/Berlin',
      '--missed',
      'all',
    ]);
    expect([done.code, done.out.trim()]).toEqual([0, 'nightly: edited']);
    expect((await rig.admin.schedules.get('nightly'))?.definition).toMatchObject({
      recurrence: { cron: '0 8 * * *', exclude: ['SUN', '12-24/12-26'], zone: 'Europe/Berlin', until: '2027-01-01T00:00:00.000Z' },
      payload: '{"shop":"berlin"}',
      overlap: 'skip',
      missed: 'all',
      maxRuns: 7,
    });
    expect((await run(['show', 'nightly'])).out).toContain('never on: SUN, 12-24/12-26');
    expect((await run(['edit', 'nightly', '--no-exclude', '--every', 'PT1H'])).code).toBe(0);
    expect((await rig.admin.schedules.get('nightly'))?.definition.recurrence.exclude).toBeUndefined();
    expect((await rig.admin.schedules.get('nightly'))?.definition.recurrence.every).toBe('PT1H');
    expect((await run(['show', 'nightly'])).out).not.toContain('never on');
    expect(await rig.admin.audit()).toContainEqual(expect.objectContaining({ verb: 'schedules.edit', reason: 'new shop' }));
  });

  it('edit refuses what cannot be, and names what is missing', async () => {
    const { run } = await shop();
    expect(await run(['edit', 'nightly'])).toMatchObject({ code: 2, err: expect.stringContaining('nothing to change') as string });
    expect(await run(['edit', 'nightly', '--cron', 'never'])).toMatchObject({ code: 2, err: expect.stringContaining('cron') as string });
    expect(await run(['edit', 'nobody', '--cron', '@daily'])).toMatchObject({ code: 3, out: 'No schedule nobody. Nothing was written.\n' });
    expect(JSON.parse((await run(['edit', 'nobody', '--cron', '@daily', '--json'])).out)).toEqual({ name: 'nobody', outcome: 'not-found' });
  });

  it('put takes the definition that show gives', async () => {
    const { rig, run } = await shop();
    const { definition } = JSON.parse((await run(['show', 'nightly', '--json'])).out) as { readonly definition: { readonly name: string } };
    const copy = JSON.stringify({ ...definition, name: 'weekly' });
    expect(await run(['put', '--definition', copy])).toMatchObject({ code: 0, out: 'weekly: put\n' });
    expect((await rig.admin.schedules.get('weekly'))?.definition).toEqual({ ...definition, name: 'weekly' });
    expect((await run(['put', '--definition', '{}'])).code).toBe(2);
    expect((await run(['put'])).err).toContain('or --definition');
    expect((await run(['put', 'weekly', '--definition', copy])).err).toContain('--definition has everything');
  });

  it('put makes a schedule from options, for the worker that reports its type', async () => {
    const { rig, run } = await shop();
    const when = ['--cron', '0 8 * * MON', '--in-zone', 'Europe/Berlin', '--exclude', '12-25', '--until', '2027-01-01T00:00:00Z'];
    const more = ['--payload', '{"shop":7}', '--overlap', 'buffer-one', '--missed', 'skip', '--to-tenant', 'acme', '--max-runs', '7'];
    expect(await run(['put', 'weekly', '--type', 'report', ...when, ...more])).toMatchObject({ code: 0, out: 'weekly: put\n' });
    expect((await rig.admin.schedules.get('weekly'))?.definition).toEqual({
      name: 'weekly',
      type: 'report',
      worker: 'default',
      schemaVersion: 1,
      payload: '{"shop":7}',
      recurrence: { cron: '0 8 * * MON', zone: 'Europe/Berlin', until: '2027-01-01T00:00:00.000Z', exclude: ['12-25'] },
      missed: 'skip',
      overlap: 'buffer-one',
      jitterMs: 0,
      maxRuns: 7,
      tenant: 'acme',
    });
    expect((await run(['put', 'often', '--type', 'mail', '--worker', 'default', '--every', 'PT1H', '--schema-version', '2'])).code).toBe(0);
    const often = { worker: 'default', schemaVersion: 2, payload: '{}', recurrence: { every: 'PT1H' }, overlap: 'allow' };
    expect((await rig.admin.schedules.get('often'))?.definition).toMatchObject(often);
  });

  it.each([
    ['--cron @daily', 'a name, --type, and --cron or --every are needed'],
    ['new --type report', '--cron or --every'],
    ['new --type report --cron @daily --every PT1H', '--cron or --every'],
    ['new --type report --cron never', 'cron'],
    ['new --type mail --cron @daily', 'Several have the type: a, b'],
    ['new --type none --cron @daily', 'No worker has reported this type'],
  ])('put %s is refused, and says what to do', async (line, says) => {
    const { rig, run } = await shop();
    expect(await run(['put', ...line.split(' ')])).toMatchObject({ code: 2, err: expect.stringContaining(says) as string });
    expect(await rig.admin.schedules.get('new')).toBeUndefined();
  });

  it.each([
    ['pause nightly', 'schedules.pause'],
    ['resume halted', 'schedules.resume'],
    ['run-now nightly', 'schedules.runNow'],
    ['put new --type report --cron @daily', 'schedules.put'],
    ['delete nightly --yes', 'schedules.delete'],
  ])('%s takes a reason for the audit', async (line, verb) => {
    const { rig, run } = await shop();
    await rig.admin.schedules.put(schedule({ cron: '@daily' }, 'halted'));
    await rig.admin.schedules.pause('halted');
    const { code, err } = await run([...line.split(' '), '--reason', 'new shop', '--actor', 'ben']);
    expect([code, err]).toEqual([0, '']);
    expect(await rig.admin.audit()).toContainEqual(expect.objectContaining({ verb, actor: 'ben', reason: 'new shop' }));
  });

  it('show names the bounds of a schedule, its jitter and its rules for clock changes, and edit removes each of them', async () => {
    const { rig, run } = await shop();
    const bounds = ['--from', '2026-04-01', '--until', '2026-12-31T23:00:00Z', '--max-runs', '1'];
    const rules = ['--jitter', '90m', '--dst-gap', 'skip', '--dst-overlap', 'both'];
    expect(await run(['edit', 'nightly', ...bounds, ...rules])).toMatchObject({ code: 0, err: '' });
    const { out } = await run(['show', 'nightly', '--zone', 'UTC']);
    for (const line of [
      'none before: 2026-04-01 00:00:00 UTC',
      'none after: 2026-12-31 23:00:00 UTC',
      'ends after: 1 run',
      'jitter: up to 1h 30m',
    ])
      expect(out).toContain(line);
    expect(out).toContain('clock changes: {"gap":"skip","overlap":"both"}');
    expect((await run(['edit', 'nightly', '--no-from', '--no-until', '--no-max-runs', '--no-jitter', '--no-dst'])).code).toBe(0);
    expect((await rig.admin.schedules.get('nightly'))?.definition).toEqual(schedule({ cron: '0 9 * * *', exclude: ['SAT'] }));
  });

  it.each([
    ['--from tomorrow', '--from "tomorrow" is not a valid time. Use one such as 2h'],
    ['--from 2026-05-01 --until 2026-04-01', 'until: "2026-04-01T00:00:00.000Z" is not valid. It is before from.'],
    ['--max-runs 0', 'maxRuns: 0 is not valid. Use a whole number, 1 or more'],
    ['--max-runs many', '--max-runs "many" is not a whole number.'],
    ['--jitter soon', '--jitter "soon" is not a valid duration. Use one such as 90s'],
    ['--jitter 2d', 'jitter: 172800000 is not valid. Use at most a day, such as PT5M.'],
    ['--dst-gap skip', 'give both'],
    ['--dst-gap jump --dst-overlap first', '--dst-gap "jump": use one of shift, skip.'],
    ['--dst-gap skip --dst-overlap first --no-dst', 'use --dst-gap or --no-dst.'],
    ['--to-tenant a --to-no-tenant', 'use --to-tenant or --to-no-tenant.'],
  ])('edit %s is refused, and nothing is written', async (line, says) => {
    const { rig, run } = await shop();
    const before = await rig.admin.schedules.get('nightly');
    expect(await run(['edit', 'nightly', ...line.split(' ')])).toMatchObject({ code: 2, err: expect.stringContaining(says) as string });
    expect(await rig.admin.schedules.get('nightly')).toEqual(before);
  });

  it('delete asks for the name once more', async () => {
    const { rig, run } = await shop();
    expect(await run(['delete', 'nightly'], 'weekly')).toMatchObject({ code: 2, err: expect.stringContaining('not that name') as string });
    expect(await run(['delete', 'nightly'])).toMatchObject({ code: 2, err: expect.stringContaining('--yes') as string });
    expect(await rig.admin.schedules.get('nightly')).toBeDefined();
    expect(await run(['delete', 'nightly'], 'nightly')).toMatchObject({ code: 0, out: 'nightly: deleted\n' });
    expect((await run(['delete', 'nightly', '--yes'])).code).toBe(3);
  });
});
