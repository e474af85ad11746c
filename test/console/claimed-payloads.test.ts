import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import { createMemoryPayloads, type MemoryPayloads } from '../../shared/adapters/memory/payloads.ts';
import type { AnyJobType } from '../../shared/job/job-type.ts';
import { claimCheck, defineJob } from '../../shared/index.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { type OpenConsole, openConsole } from './open-console.ts';

let rig: Rig;
let payloads: MemoryPayloads;
let load: AnyJobType;
let page: OpenConsole | undefined;

async function shown(id: string, { knows }: { readonly knows: boolean }): Promise<string> {
  const admin = createAdminOver({ ...rig.deps, ...(knows ? { jobTypes: new Map([[load.name, load]]) } : {}) });
  page = await openConsole({ admin, now: () => rig.clock.now(), redact: ['pin'] });
  return (await page.get(`/jobs/${id}`)).text;
}

beforeEach(() => {
  payloads = createMemoryPayloads();
  load = defineJob('load', { payload: anyPayload, codec: claimCheck({ store: payloads }) });
  rig = new Rig({ handlers: [load.handle(() => undefined)] });
});

afterEach(async () => {
  await page?.close();
  if ((page?.problems ?? []).length > 0) throw new Error(page?.problems.join('\n'));
});

const enqueued = async (letters: number): Promise<string> =>
  (await rig.client.enqueue(load, { text: 'x'.repeat(letters), pin: 'secret' })).id;

describe('the console shows of a large payload', () => {
  it('where it is and its size, and nothing else without its job type', async () => {
    const text = await shown(await enqueued(20_000), { knows: false });
    expect(text).toContain(`It is in the payload store: 20026 bytes, as ${payloads.kept()[0]?.key}.`);
    expect(text).toContain('This console has no job type with its codec.');
    expect(text).not.toContain('sha256');
    expect(text).not.toContain('Save the payload');
  });

  it('what the handler would get, without hidden fields, and the form to edit it', async () => {
    const text = await shown(await enqueued(20_000), { knows: true });
    expect(text).toContain('It is in the payload store: 20026 bytes');
    expect(text).toContain('x'.repeat(20_000));
    expect(text).not.toContain('secret');
    expect(text).toContain('Save the payload');
  });

  it('no text that is larger than a row takes, and no form to edit it', async () => {
    const text = await shown(await enqueued(300_000), { knows: true });
    expect(text).toContain('It is in the payload store: 300026 bytes');
    expect(text).toContain('It is too large to be shown and edited here.');
    expect(text.length).toBeLessThan(100_000);
    expect(text).not.toContain('Save the payload');
  });

  it('that it is gone', async () => {
    const id = await enqueued(20_000);
    await payloads.delete(payloads.kept()[0]?.key ?? '');
    payloads.expire();
    const text = await shown(id, { knows: true });
    expect(text).toContain('is not in the payload store any more.');
    expect(text).not.toContain('Save the payload');
  });

  it('a name that a damaged row gives it as text', async () => {
    const id = await enqueued(20_000);
    const payload = JSON.stringify({ key: '<b>key</b>', version: '1', bytes: 7, sha256: 'a' });
    await rig.tables.write({ op: 'update', table: 'jobs', key: { id }, set: { payload } });
    expect(await shown(id, { knows: false })).toContain('7 bytes, as &lt;b&gt;key&lt;/b&gt;.');
  });
});
