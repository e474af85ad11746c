import { beforeAll, describe, expect, it } from 'vitest';
import { consoleOfJobs } from './console-of-jobs.ts';
import { words } from './page-words.ts';

const stage = consoleOfJobs(3);
let fingerprint: string;

beforeAll(async () => {
  const { groups } = await stage.world.admin.errorGroups({ type: 'mail.send' });
  fingerprint = groups[0]?.fingerprint ?? '';
});

describe('what the console says about an error group', () => {
  it('shows the note and the owner that were given, escaped, and removes them', async () => {
    const body = { fingerprint, note: '<b>bank</b>', owner: 'payments' };
    expect(await stage.page.act('group-annotate', body)).toMatchObject({ ok: true, to: `/dead-letters/${fingerprint}` });
    const { text } = await stage.page.get(`/dead-letters/${fingerprint}`);
    expect(text).toContain('&lt;b&gt;bank&lt;/b&gt;');
    expect(words((await stage.page.get('/dead-letters')).text)).toContain('payments');
    await stage.page.act('group-annotate', { fingerprint });
    expect(await stage.world.admin.errorGroup(fingerprint)).not.toHaveProperty('owner');
  });

  it('lists an ignored and a resolved group under tabs of their own, and reopens them', async () => {
    expect(await stage.page.act('group-ignore', { fingerprint, until: '2h' })).toMatchObject({ ok: true });
    expect((await stage.page.get('/dead-letters')).text).not.toContain(fingerprint);
    expect((await stage.page.get('/dead-letters?state=ignored')).text).toContain(fingerprint);
    expect(words((await stage.page.get(`/dead-letters/${fingerprint}`)).text)).toContain('Ignored until');
    expect(await stage.page.act('group-reopen', { fingerprint })).toMatchObject({ ok: true });
    expect(await stage.page.act('group-resolve', { fingerprint, reason: 'deployed' })).toMatchObject({ ok: true });
    expect((await stage.page.get('/dead-letters?state=resolved')).text).toContain(fingerprint);
    expect(words((await stage.page.get(`/dead-letters/${fingerprint}`)).text)).toContain('by anna');
  });

  it('refuses what cannot be meant', async () => {
    expect(await stage.page.act('group-ignore', { fingerprint })).toMatchObject({ ok: false });
    expect(await stage.page.act('group-resolve', {})).toMatchObject({ ok: false });
    expect(await stage.page.act('group-resolve', { fingerprint: 'none' })).toMatchObject({ ok: false });
    expect(await stage.page.act('group-annotate', { fingerprint, note: 5 })).toMatchObject({ ok: false });
  });
});
