import { describe, expect, it } from 'vitest';
import { consoleOfJobs } from './console-of-jobs.ts';
import { words } from './page-words.ts';

const stage = consoleOfJobs(3);

describe('the page of retention', () => {
  it('counts what a rule would remove, writes nothing, and offers to set it', async () => {
    expect(words((await stage.page.get('/retention')).text)).toContain('No rule: dead letters are kept forever.');
    const { text } = await stage.page.get('/retention?type=mail.send&days=30');
    expect(words(text)).toContain('A rule of 30 days for type mail.send would remove now');
    expect(words(text)).toContain('0 dead letters');
    expect(text).toContain('data-action="retention-set"');
    expect(await stage.world.admin.retention()).toEqual([]);
    for (const days of ['0', 'many'])
      expect(words((await stage.page.get(`/retention?days=${days}`)).text)).toContain('This cannot be counted');
  });

  it('sets a rule and takes it back', async () => {
    expect(await stage.page.act('retention-set', { scope: 'type#mail.send', days: 30, reason: 'ticket' })).toMatchObject({ ok: true });
    expect(await stage.page.act('retention-set', { scope: 'all', days: 90 })).toMatchObject({ ok: true, to: '/retention' });
    const shown = words((await stage.page.get('/retention')).text);
    expect(shown).toContain('everything 90 an operator');
    expect(shown).toContain('type mail.send 30 an operator');
    expect(shown).toContain('ticket');
    expect(await stage.page.act('retention-clear', { scope: 'all' })).toMatchObject({ ok: true });
    expect(await stage.page.act('retention-clear', { scope: 'all' })).toMatchObject({ ok: false });
    expect((await stage.world.admin.retention()).map(({ scope }) => scope)).toEqual(['type#mail.send']);
  });

  it('refuses a scope that is none, and no days', async () => {
    expect(await stage.page.act('retention-set', { scope: 'group#g', days: 30 })).toMatchObject({ ok: false });
    expect(await stage.page.act('retention-set', { scope: 'all' })).toMatchObject({ ok: false });
  });
});
