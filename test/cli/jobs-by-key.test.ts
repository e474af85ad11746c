import { describe, expect, it } from 'vitest';
import { runCli } from '../../cli/run-cli.ts';
import { createAdminOver } from '../../operate/admin.ts';
import { defineJob } from '../../shared/index.ts';
import { type OpenConsole, openConsole } from '../console/open-console.ts';
import { words } from '../console/page-words.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { fakeTerminal } from './fake-terminal.ts';

const environment = { NIGHTCREW_TABLES: '{}', NIGHTCREW_DEPLOYMENT: 'shop' };
const invoice = defineJob('invoice', { payload: anyPayload });
const letter = defineJob('letter', { payload: anyPayload });

/** A deployment whose worker has reported its types. */
async function stage() {
  const rig = new Rig({ handlers: [invoice.handle(() => {}), letter.handle(() => {})], version: '1' });
  await rig.client.enqueue(invoice, {});
  await rig.drain();
  const [admin, now] = [createAdminOver(rig.deps), () => rig.clock.now()];
  const nightcrew = async (...args: readonly string[]) => {
    const terminal = fakeTerminal({ environment, admin, now });
    return { code: await runCli(args, terminal.io), out: terminal.out(), err: terminal.err() };
  };
  const show = async (...args: readonly string[]) => nightcrew('jobs', 'show', ...args);
  const visit = async (work: (console: OpenConsole) => Promise<void>, more: { readonly redact?: readonly string[] } = {}) => {
    const console = await openConsole({ admin, now, ...more });
    try {
      await work(console);
      expect(console.problems).toEqual([]);
    } finally {
      await console.close();
    }
  };
  return { rig, show, visit };
}

describe('nightcrew jobs show --key', () => {
  it('shows the job that holds the key, as by its id', async () => {
    const { rig, show } = await stage();
    const { id } = await rig.client.enqueue(invoice, {}, { key: 'order 7', tenant: 'acme' });
    const found = await show('--key', 'order 7', '--tenant', 'acme');
    expect(found).toMatchObject({ code: 0, out: expect.stringMatching(new RegExp(`^${id}  ready[^]*key: +order 7\n`)) });
    expect(await show('--key', 'order 7', '--tenant', 'acme', '--type', 'invoice', '--json')).toEqual(await show(id, '--json'));
  });

  it('asks for the type where jobs of several types hold the key', async () => {
    const { rig, show } = await stage();
    const [one, two] = [await rig.client.enqueue(invoice, {}, { key: 'k' }), await rig.client.enqueue(letter, {}, { key: 'k' })];
    const { code, err } = await show('--key', 'k');
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(`Add --type: invoice ${one.id}, letter ${two.id}.`) });
    expect((await show('--key', 'k', '--type', 'letter')).out).toContain(two.id);
  });

  it('says where it looked for a key that no job holds, and how to find a job that has ended', async () => {
    const { show } = await stage();
    const { code, out, err } = await show('--key', "it's 7");
    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(err).toContain(`No job without a tenant holds the unique key "it's 7". Types that were looked at: invoice, letter.`);
    expect(err).toContain(String.raw`nightcrew jobs list --state dead --state finished --text 'it'\''s 7'`);
    expect((await show('--key', 'k', '--tenant', 'acme', '--type', 'letter')).err).toContain('No job of tenant acme holds');
  });

  it('names the job that holds a key for a stated time when History no longer has it', async () => {
    const { rig, show } = await stage();
    const { id } = await rig.client.enqueue(invoice, {}, { key: { value: 'k', for: 'P30D' } });
    await rig.drain();
    await rig.clock.advance(20 * 86_400_000);
    for (const { day, id: ended } of await rig.rows('history'))
      await rig.tables.write({ op: 'delete', table: 'history', key: { day: String(day), id: String(ended) } });
    const { code, err } = await show('--key', 'k', '--type', 'invoice');
    expect({ code, err }).toEqual({ code: 3, err: expect.stringMatching(`^invoice ${id} holds the key until 2.*, but it is nowhere`) });
  });

  it.each([[], ['--key', 'k', '01a1ff1d-5686-7949-88c8-e8269ab9006e'], ['01a1ff1d-5686-7949-88c8-e8269ab9006e', '--type', 'letter']])(
    'is refused with %j %j %j',
    async (...args) => {
      const { show } = await stage();
      expect(await show(...args)).toMatchObject({ code: 2, out: '' });
    },
  );
});

describe('the search box of the console', () => {
  it('leads from a key to the job that holds it', async () => {
    const { rig, visit } = await stage();
    const { id } = await rig.client.enqueue(invoice, {}, { key: 'order 7' });
    await visit(async (console) => {
      const [, to = ''] = /href="(\/find\/key[^"]+)"/.exec((await console.get('/find?q=order+7')).text) ?? [];
      expect((await console.get(to)).location).toBe(`/jobs/${id}`);
      expect((await console.get(`${to}&type=invoice`)).location).toBe(`/jobs/${id}`);
      expect((await console.get(`/find?q=${'k'.repeat(257)}`)).text).not.toContain('/find/key');
    });
  });

  it('offers the jobs of all types that hold the key', async () => {
    const { rig, visit } = await stage();
    const [one, two] = [await rig.client.enqueue(invoice, {}, { key: 'k' }), await rig.client.enqueue(letter, {}, { key: 'k' })];
    await visit(async (console) => {
      const text = words((await console.get('/find/key?key=k')).text);
      expect(text).toMatch(new RegExp(`${one.id} ready of type invoice.*${two.id} ready of type letter`));
    });
  });

  it('says that no job holds a key, and offers a search for it unless the console hides payload fields', async () => {
    const { visit } = await stage();
    await visit(async (console) => {
      const { text } = await console.get('/find/key?key=<b>&tenant=acme');
      expect(words(text)).toContain('No job of tenant acme of any of the 2 known types holds it.');
      expect(text).toContain('href="/jobs?state=dead&amp;state=finished&amp;text=%3Cb%3E"');
      expect(words((await console.get('/find/key?key=k&type=1x')).text)).toContain('This key cannot be looked up');
      expect((await console.get('/find/key')).text).not.toContain('No job holds this key');
    });
    await visit(async (console) => expect((await console.get('/find/key?key=k')).text).not.toContain('text=k'), { redact: ['pin'] });
  });
});
