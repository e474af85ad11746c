import { describe, expect, it, vi } from 'vitest';
import { WAIT } from '../support/patience.ts';
import { consoleOfJobs } from './console-of-jobs.ts';
import { words } from './page-words.ts';

const stage = consoleOfJobs(3);

describe('the page of erasures', () => {
  it('counts what an erasure would remove, writes nothing, and offers to erase it', async () => {
    const { text } = await stage.page.get('/erasures?type=mail.send');
    expect(words(text)).toContain('An erasure of type mail.send would remove');
    expect(words(text)).toMatch(/dead letters 3 /);
    expect(text).toContain('data-action="erase"');
    expect(await stage.world.admin.erasures()).toEqual([]);
    expect(words((await stage.page.get('/erasures?id=none')).text)).toContain('This cannot be counted');
  });

  it('begins an erasure, and shows what it removed with the ids of the jobs', async () => {
    const began = await stage.page.act('erase', { type: 'mail.send', reason: 'ticket 4711' });
    expect(began).toMatchObject({ ok: true });
    const id = String(began['to']).split('/').at(-1) ?? '';
    await vi.waitFor(
      async () => expect(await stage.world.admin.erasure(id)).toMatchObject({ status: 'done', erased: { deadLetters: 3 } }),
      WAIT,
    );
    const { text } = await stage.page.get(`/erasures/${id}`);
    expect(words(text)).toContain('Jobs of which something was erased');
    expect(words(text)).toContain('ticket 4711');
    expect(words((await stage.page.get('/erasures')).text)).toContain('type mail.send done');
    expect(await stage.page.act('erase-resume', { erasure: id })).toMatchObject({ ok: false, message: 'It is done: nothing was done.' });
    expect(await stage.page.act('erase-stop', { erasure: id })).toMatchObject({ ok: false });
  });

  it('demands a reason, and knows no other erasure', async () => {
    expect(await stage.page.act('erase', { type: 'mail.send' })).toMatchObject({ ok: false });
    expect((await stage.page.get('/erasures/none')).status).toBe(404);
  });
});
