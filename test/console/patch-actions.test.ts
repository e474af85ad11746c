import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EveryState, jobsInEveryState } from './jobs-in-every-state.ts';
import { type OpenConsole, openConsole } from './open-console.ts';

let world: EveryState;
let page: OpenConsole;

beforeEach(async () => {
  world = await jobsInEveryState();
  page = await openConsole({ admin: world.admin, now: () => world.kit.clock.now(), redact: ['password'] });
});

afterEach(async () => {
  if (page.problems.length > 0) throw new Error(page.problems.join('\n'));
  await world.release();
  await page.close();
});

const payloadOf = async (id: string): Promise<unknown> => JSON.parse((await world.admin.find(id))?.payload ?? '');

describe('a patch in the console', () => {
  it('changes the payload of one job, and redrives a dead letter if asked', async () => {
    const { waiting, dead, running } = world.ids;
    const before = await payloadOf(waiting);
    expect(await page.act('patch-payload', { id: waiting, patch: '{"note":"x"}' })).toMatchObject({
      ok: true,
      message: 'The payload was patched.',
    });
    expect(await payloadOf(waiting)).toEqual({ ...(before as object), note: 'x' });
    expect(await page.act('patch-payload', { id: dead, patch: '{"fault":null}', redrive: true })).toMatchObject({
      ok: true,
      message: 'Redriven with the patched payload.',
    });
    expect((await world.admin.find(dead))?.state).toBe('ready');
    expect(await page.act('patch-payload', { id: running, patch: '{"a":1}' })).toMatchObject({
      ok: false,
      message: 'The job runs by now: nothing was changed.',
    });
  });

  it('shows one job of many before and after, without the fields that are hidden', async () => {
    const { dead } = world.ids;
    const asked = { verb: 'patch', query: 'state=dead', ids: [dead], dryRun: true, preview: true };
    const shown = await page.act('bulk', { ...asked, patch: '{"password":"other","to":"right@example.org"}' });
    expect(shown).toMatchObject({ ok: true, message: `For example ${dead}:` });
    const { before = '', after = '' } = (shown as { sample?: { before?: string; after?: string } }).sample ?? {};
    expect(before).toContain('"password": "[redacted]"');
    expect(before).not.toContain('right@example.org');
    expect(after).toContain('"password": "[redacted]"');
    expect(after).toContain('right@example.org');
    expect(await payloadOf(dead)).toMatchObject({ password: 'hunter2' });
  });

  it('says of the job that it would show why that is left alone', async () => {
    const { dead } = world.ids;
    await world.admin.editPayload(dead, [1]);
    const asked = { verb: 'patch', query: 'state=dead', ids: [dead], patch: '{"a":1}', dryRun: true, preview: true };
    expect(await page.act('bulk', asked)).toMatchObject({
      ok: false,
      message: expect.stringContaining('no JSON object'),
      sample: { before: '[\n  1\n]' },
    });
    expect(await page.act('bulk', { ...asked, ids: undefined, query: 'state=dead&type=nobody' })).toMatchObject({
      ok: false,
      message: 'Nothing matches: there is no job to show.',
    });
  });

  it('counts many before the patch is typed, and never shows in its page what the patch holds', async () => {
    const asked = { verb: 'patch', query: 'state=dead' };
    const { count } = await page.act('bulk', { ...asked, dryRun: true });
    expect(count).toBe(3);
    const begun = await page.act('bulk', { ...asked, dryRun: false, expected: 3, patch: '{"secret":"geheim"}' });
    expect(begun).toMatchObject({ ok: true, message: 'Started: patching the payloads of 3 jobs.' });
    const { text } = await page.get(`/bulks/${begun.bulk}`);
    expect(text).toContain('Patch payload: 1 field');
    expect(text).not.toContain('geheim');
  });

  it.each([
    [{ patch: undefined }],
    [{ patch: '' }],
    [{ patch: '{' }],
    [{ patch: '{}' }],
    [{ patch: '[]' }],
    [{ patch: '{"a":1,"a":2}' }],
    [{ patch: '{"a":12345678901234567890}' }],
    [{ patch: '{"password":"[redacted]"}' }],
    [{ patch: '{"__proto__":{"a":1}}' }],
    [{ patch: '{"a":1}', redrive: 'perhaps' }],
  ])('refuses %o', async (given) => {
    const { dead } = world.ids;
    const before = await payloadOf(dead);
    for (const [name, body] of [
      ['patch-payload', { id: dead }],
      ['bulk', { verb: 'patch', query: 'state=dead', dryRun: true, preview: true }],
      ['bulk', { verb: 'patch', query: 'state=dead', dryRun: false, expected: 3 }],
    ] as const) {
      expect(await page.act(name, { ...body, ...given })).toMatchObject({ status: 400, ok: false });
    }
    expect(await payloadOf(dead)).toEqual(before);
  });
});
