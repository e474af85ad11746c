import { describe, expect, it } from 'vitest';
import { consoleOfJobs } from './console-of-jobs.ts';
import { words } from './page-words.ts';

const stage = consoleOfJobs(3);

describe('the numbers on the page of limits', () => {
  it('can be set, also for a limit that no worker has reported', async () => {
    expect(words((await stage.page.get('/limits')).text)).toContain('No worker has reported a limit.');
    expect(await stage.page.act('limit-set', { limit: 'bank', n: 0, reason: 'it is <b>down</b>' })).toMatchObject({
      ok: true,
      to: '/limits',
    });
    const { text } = await stage.page.get('/limits');
    expect(words(text)).toMatch(/bank 0 unknown .* it is &lt;b&gt;down&lt;\/b&gt;/);
    expect(text).toContain('data-action="limit-clear"');
    expect(await stage.world.admin.limitNumbers()).toMatchObject([{ limit: 'bank', n: 0, set: { reason: 'it is <b>down</b>' } }]);
  });

  it('are cleared, once', async () => {
    await stage.page.act('limit-set', { limit: 'mail', n: 3 });
    expect(await stage.page.act('limit-clear', { limit: 'mail' })).toMatchObject({ ok: true });
    expect(await stage.page.act('limit-clear', { limit: 'mail' })).toMatchObject({
      ok: false,
      message: 'No number is set for mail any more.',
    });
  });

  it('say so when another operator was faster', async () => {
    const { admin } = stage.world;
    const verbs = { ...admin };
    Object.assign(admin, { setLimit: async () => Promise.resolve('conflict'), clearLimit: async () => Promise.resolve('conflict') });
    try {
      for (const [action, body] of [
        ['limit-set', { limit: 'bank', n: 1 }],
        ['limit-clear', { limit: 'bank' }],
      ] as const)
        expect(await stage.page.act(action, body)).toMatchObject({ ok: false, message: expect.stringContaining('Nothing was written') });
    } finally {
      Object.assign(admin, verbs);
    }
  });

  it('are refused if they are none, and so is no limit', async () => {
    for (const body of [{ limit: 'bank' }, { limit: 'bank', n: 101 }, { limit: 'bank', n: 'many' }, { n: 1 }, { limit: 'a b', n: 1 }])
      expect(await stage.page.act('limit-set', body)).toMatchObject({ ok: false });
  });
});
