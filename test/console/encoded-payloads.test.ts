import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Admin, createAdminOver } from '../../operate/admin.ts';
import { continueWith, defineJob } from '../../shared/index.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { sealingCodec } from '../support/sealing-codec.ts';
import { type OpenConsole, openConsole } from './open-console.ts';

const codec = sealingCodec('seal');
const pay = defineJob('pay', { payload: anyPayload, codec });

let rig: Rig;
let page: OpenConsole;
let id: string;

async function open(types: readonly (typeof pay)[]): Promise<Admin> {
  const admin = createAdminOver({ ...rig.deps, jobTypes: new Map(types.map((type) => [type.name, type])) });
  page = await openConsole({ admin, now: () => rig.clock.now(), redact: ['pin'] });
  return admin;
}

beforeEach(async () => {
  rig = new Rig({ handlers: [pay.handle(() => continueWith({ at: 'DE89' }))] });
  ({ id } = await rig.client.enqueue(pay, { iban: 'DE89', pin: 'secret' }));
  await rig.deliver();
});

afterEach(async () => {
  await page.close();
  if (page.problems.length > 0) throw new Error(page.problems.join('\n'));
});

describe('an encoded payload in the console', () => {
  it('is not shown, and cannot be edited, where there is no job type with its codec', async () => {
    const admin = await open([]);
    const { text } = await page.get(`/jobs/${id}`);
    expect(text).toContain('It is encoded by seal. This console has no job type with its codec.');
    expect(text).not.toContain((await admin.find(id))?.payload);
    expect(text).not.toContain('Save the payload');
    const rev = (await admin.find(id))?.rev;
    expect(await page.act('edit-payload', { id, rev, payload: '{}' })).toMatchObject({
      ok: false,
      message: 'Its payload is encoded, and this session has no job type with the codec for it: nothing was changed.',
    });
    expect(await page.act('patch-payload', { id, patch: '{"a":1}' })).toMatchObject({
      ok: false,
      message: expect.stringContaining('is encoded'),
    });
  });

  it('is shown decoded, without the fields that are hidden, and edited as such, where there is one', async () => {
    const admin = await open([pay]);
    const { text } = await page.get(`/jobs/${id}`);
    expect(text).toContain('It is encoded by seal.');
    expect(text).toContain('DE89');
    expect(text).not.toContain('secret');
    const rev = (await admin.find(id))?.rev;
    expect(await page.act('edit-payload', { id, rev, payload: '{"iban":"DE90","pin":"[redacted]"}' })).toMatchObject({ ok: true });
    expect((await admin.find(id))?.lifted?.payload).toBe('{"iban":"DE90","pin":"secret"}');
  });

  it('that cannot be decoded now says so', async () => {
    await open([pay]);
    codec.failures.push(new Error('DE89'));
    const { text } = await page.get(`/jobs/${id}`);
    expect(text).toContain('could not decode a payload');
    expect(text).not.toContain('DE89');
    expect(text).not.toContain('Save the payload');
  });

  it('has a codec whose name is text, whatever a row says', async () => {
    await open([]);
    await rig.tables.write({ op: 'update', table: 'jobs', key: { id }, set: { codec: '<b>seal</b>' } });
    const { text } = await page.get(`/jobs/${id}`);
    expect(text).toContain('encoded by &lt;b&gt;seal&lt;/b&gt;');
  });
});
