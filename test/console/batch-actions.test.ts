import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineJob } from '../../shared/job/job-type.ts';
import { createTestKit } from '../../testing/index.ts';
import { anyPayload } from '../support/any-payload.ts';
import { type OpenConsole, openConsole } from './open-console.ts';
import { words } from './page-words.ts';

const row = defineJob('import.row', { payload: anyPayload });
const kit = createTestKit([row.handle(() => undefined)]);
let page: OpenConsole;
beforeAll(async () => {
  page = await openConsole({ admin: kit.admin, now: () => kit.clock.now() });
});
afterAll(async () => page.close());

/** A batch whose builder went away after two jobs. */
async function abandoned(): Promise<string> {
  const batch = await kit.client.createBatch({ name: 'abandoned' });
  await batch.enqueueMany(row, [{ n: 1 }, { n: 2 }]);
  return batch.id;
}

describe('the page of batches', () => {
  it('seals one whose builder is gone, and offers that no more', async () => {
    const id = await abandoned();
    for (const action of ['batch-seal', 'batch-cancel'])
      expect((await page.get('/batches')).text).toMatch(new RegExp(`data-action="${action}"[^>]*data-fields="[^"]*reason`));
    expect(await page.act('batch-seal', { id, reason: 'crashed' })).toMatchObject({
      ok: true,
      message: `Sealed: ${id} has 2 jobs, and is sealed.`,
    });
    const { text } = await page.get('/batches');
    expect(text).not.toContain('data-action="batch-seal"');
    expect(text).toContain('data-action="batch-cancel"');
    await kit.drain();
    expect(await kit.admin.batch(id)).toMatchObject({ state: 'finished', succeeded: 2 });
    expect(await kit.admin.audit()).toContainEqual(
      expect.objectContaining({ verb: 'sealBatch', scope: `batch#${id}`, actor: 'anna', reason: 'crashed' }),
    );
  });

  it('cancels one, whose jobs do not run', async () => {
    const id = await abandoned();
    const done = { ok: true, message: `Cancelled: ${id}. Jobs that have not ended: 2.` };
    expect(await page.act('batch-cancel', { id, reason: 'wrong month' })).toMatchObject(done);
    expect(await kit.admin.audit()).toContainEqual(expect.objectContaining({ verb: 'cancelBatch', reason: 'wrong month' }));
    expect(words((await page.get('/batches')).text)).toContain('cancelled');
    const { text } = await page.get('/batches');
    for (const action of ['batch-seal', 'batch-cancel']) expect(text).not.toContain(`data-action="${action}"`);
    await kit.drain();
    expect(await kit.admin.batch(id)).toMatchObject({ state: 'finished', succeeded: 0, cancelled: 2 });
  });

  it('gives one another tenant or none, with a reason in the audit', async () => {
    const id = await abandoned();
    expect((await page.get('/batches')).text).toContain('data-action="batch-change-tenant"');
    const acme = { ok: true, message: `${id} belongs to tenant acme now. Its jobs keep theirs until you change it, too.` };
    expect(await page.act('batch-change-tenant', { id, tenant: 'acme', reason: 'merger' })).toMatchObject(acme);
    expect(await kit.admin.batch(id)).toMatchObject({ tenant: 'acme', pending: 2 });
    expect(words((await page.get('/batches')).text)).toContain('acme');
    const record = { verb: 'changeBatchTenant', scope: `batch#${id}`, detail: 'to acme', reason: 'merger', actor: 'anna' };
    expect(await kit.admin.audit()).toContainEqual(expect.objectContaining(record));
    const none = { ok: true, message: expect.stringContaining('belongs to no tenant now') as string };
    expect(await page.act('batch-change-tenant', { id, tenant: ' ' })).toMatchObject(none);
    expect(await kit.admin.batch(id)).not.toHaveProperty('tenant');
    const wrong = { ok: false, status: 400, message: expect.stringContaining('at most 256 characters') as string };
    expect(await page.act('batch-change-tenant', { id, tenant: 'x'.repeat(257) })).toMatchObject(wrong);
    expect(await kit.admin.batch(id)).not.toHaveProperty('tenant');
    await kit.client.cancelBatch(id);
    await kit.drain();
  });

  it('gives another tenant to one that has ended since the page was shown', async () => {
    const id = await abandoned();
    await kit.client.sealBatch(id);
    await kit.advance('PT2M');
    expect((await page.get('/batches')).text).not.toContain(id);
    expect(await page.act('batch-change-tenant', { id, tenant: 'acme' })).toMatchObject({ ok: true });
    expect(await kit.admin.batch(id)).toMatchObject({ state: 'finished', tenant: 'acme' });
    expect((await page.get('/batches')).text).not.toContain(id);
  });

  it.each([
    [{ id: '01a1ff1d-5686-7949-88c8-e8269ab9006e' }, 'There is no batch'],
    [{}, 'id of a batch'],
  ])('says of %j what is wrong', async (body, says) => {
    for (const action of ['batch-seal', 'batch-cancel', 'batch-change-tenant'])
      expect(await page.act(action, body)).toMatchObject({ ok: false, message: expect.stringContaining(says) as string });
    expect(page.problems).toEqual([]);
  });
});
