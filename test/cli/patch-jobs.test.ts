import { describe, expect, it } from 'vitest';
import { runCli } from '../../cli/run-cli.ts';
import { createAdminOver } from '../../operate/admin.ts';
import { defineJob } from '../../shared/index.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { fakeTerminal } from './fake-terminal.ts';

const environment = { NIGHTCREW_TABLES: '{}', NIGHTCREW_DEPLOYMENT: 'shop' };
const charge = defineJob('charge', { payload: anyPayload, retry: 'never' });
const PATCH = ['--patch', '{"currency":"EUR"}'];

/** Two dead letters and a timer. */
async function failed() {
  const ran: unknown[] = [];
  const rig = new Rig({
    handlers: [
      charge.handle(({ payload }) => {
        ran.push(payload);
        if (payload['currency'] !== 'EUR') throw new Error('no');
      }),
    ],
  });
  const { ids } = await rig.client.enqueueMany(charge, [
    { currency: 'Euro', sum: 1 },
    { currency: 'Euro', sum: 1 },
  ]);
  await rig.drain();
  ran.length = 0;
  const timer = await rig.client.enqueue(charge, { currency: '\u001b[2J' }, { delay: 'PT1H' });
  const nightcrew = async (args: readonly string[], given: Parameters<typeof fakeTerminal>[0] = {}) => {
    const terminal = fakeTerminal({ environment, admin: createAdminOver(rig.deps), now: () => rig.clock.now(), ...given });
    return { code: await runCli(args, terminal.io), out: terminal.out(), err: terminal.err(), questions: terminal.questions };
  };
  return { rig, ran, ids: ids.map(String), timer: timer.id, nightcrew };
}

describe('nightcrew jobs patch', () => {
  it('shows one job before and after in a dry run, and before it asks', async () => {
    const { rig, nightcrew } = await failed();
    const before = await rig.rows('deadLetters');
    const dry = await nightcrew(['dead-letters', 'patch', '--type', 'charge', ...PATCH, '--dry-run']);
    expect(dry.code).toBe(0);
    expect(dry.out).toMatch(/^2 dead letters .* would be patched in .*\n/);
    expect(dry.out).toContain('  before  {"currency":"Euro","sum":1}\n  after   {"currency":"EUR","sum":1}\n');
    const asked = await nightcrew(['dead-letters', 'patch', '--type', 'charge', ...PATCH], { answers: ['no'] });
    expect(asked).toMatchObject({ code: 2, questions: [expect.stringContaining('  after   {"currency":"EUR","sum":1}\n2 dead letters ')] });
    const json = await nightcrew(['dead-letters', 'patch', '--type', 'charge', ...PATCH, '--dry-run', '--json']);
    expect(JSON.parse(json.out)).toMatchObject({ matched: 2, sample: { after: '{"currency":"EUR","sum":1}' } });
    expect(await rig.rows('deadLetters')).toEqual(before);
  });

  it('shows no payload where it cannot ask', async () => {
    const { nightcrew } = await failed();
    const { code, out, err } = await nightcrew(['dead-letters', 'patch', '--type', 'charge', ...PATCH]);
    expect({ code, out, err }).toEqual({ code: 2, out: '', err: expect.stringContaining('There is no terminal to confirm it') });
    expect(err).not.toContain('currency');
  });

  it('shows the first 2 KB of a payload, and says how much more there is', async () => {
    const { timer, rig, nightcrew } = await failed();
    await createAdminOver(rig.deps).editPayload(timer, { text: 'x'.repeat(4_000) });
    const args = ['jobs', 'patch', timer, '--patch', '{"more":1}', '--dry-run'];
    const { out } = await nightcrew(args);
    expect(out).toMatch(/\n {2}before {2}\{"text":"x+ \.\.\. \(1963 more bytes: --dry-run --json shows all\)\n/);
    expect(out).toMatch(/\n {2}after {3}\{"text":"x+ \.\.\. \(1972 more bytes: /);
    expect(JSON.parse((await nightcrew([...args, '--json'])).out).sample.before).toHaveLength(4_011);
  });

  it('escapes what a payload holds', async () => {
    const { timer, nightcrew } = await failed();
    const { out } = await nightcrew(['jobs', 'patch', timer, '--patch', '{"more":"\\u202e"}', '--dry-run']);
    expect(out).not.toMatch(/[^\n -~]/);
    expect(out).toContain('  before  {"currency":"');
  });

  it('says in a dry run why a job would be left alone', async () => {
    const { rig, ids, nightcrew } = await failed();
    const [id = ''] = ids;
    await rig.tables.write({ op: 'update', table: 'deadLetters', key: { id }, set: { payload: '[]' } });
    const { out } = await nightcrew(['dead-letters', 'patch', id, ...PATCH, '--dry-run']);
    expect(out).toContain('  before  []\n  left alone: Its payload is no JSON object');
  });

  it('patches and redrives what a filter matches, and the jobs complete', async () => {
    const { rig, ran, nightcrew } = await failed();
    const args = ['dead-letters', 'patch', '--type', 'charge', ...PATCH, '--redrive', '--yes', '--reason', 'currency'];
    expect(await nightcrew(args)).toMatchObject({ code: 0, out: expect.stringMatching(/^done: 2 done of 2 matched/) });
    await rig.drain();
    expect(ran).toEqual([
      { currency: 'EUR', sum: 1 },
      { currency: 'EUR', sum: 1 },
    ]);
    expect((await nightcrew(['audit'])).out).toMatch(/bulk patch.*currency/);
  });

  it('patches single jobs by their ids, from a file, and names those that are left alone', async () => {
    const { rig, ids, timer, nightcrew } = await failed();
    const [id = '', gone = ''] = ids;
    await nightcrew(['dead-letters', 'delete', gone]);
    const readText = async (path: string) =>
      Promise.resolve(path === 'patch.json' ? '{"currency":null}' : Promise.reject(new Error('none')));
    const patched = await nightcrew(['jobs', 'patch', id, timer, gone, '--patch', '@patch.json'], { readText });
    expect(patched).toMatchObject({ code: 3, out: `${id}  patched\n${timer}  patched\n${gone}  left alone: not-found\n` });
    expect(await rig.rows('deadLetters')).toMatchObject([{ payload: '{"sum":1}' }]);
  });

  it.each([
    [[], '--patch is missing: JSON, @file, or - for the standard input.'],
    [['--patch', 'x'], '--patch: This is not JSON: '],
    [['--patch', '{"a":12345678901234567890}'], '--patch: This number does not survive as a JavaScript number. Put it in quotes.'],
    [['--patch', '[1]'], 'patch: an array is not valid. Give an object'],
    [['--patch', '{}'], 'patch: {} is not valid. Name a field'],
    [['--patch', '@none.json'], '--patch: "none.json" cannot be read.'],
  ])('is refused with %j before anything is written', async (args, message) => {
    const { rig, ids, nightcrew } = await failed();
    const before = await rig.rows('deadLetters');
    const readText = async () => Promise.reject(new Error('none'));
    for (const chosen of [['--type', 'charge', '--yes'], ids.slice(0, 1)]) {
      const { code, err } = await nightcrew(['dead-letters', 'patch', ...args, ...chosen], { readText });
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) });
    }
    expect(await rig.rows('deadLetters')).toEqual(before);
  });
});
