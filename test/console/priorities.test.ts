import { afterEach, describe, expect, it } from 'vitest';
import { consoleOfJobs } from './console-of-jobs.ts';
import { HOSTILE } from './jobs-in-every-state.ts';
import { words } from './page-words.ts';

const stage = consoleOfJobs(3);
const act = async (name: string, body: Readonly<Record<string, unknown>>) => stage.page.act(`priority-${name}`, body);

afterEach(async () => {
  for (const { scope, default: isDefault } of await stage.world.admin.priorities()) await act('clear', { scope, default: isDefault });
});

describe('the priorities on the page of workers', () => {
  it('are set for a type, with who and why, and shown beside it', async () => {
    expect(words(await stage.read('/workers'))).toContain('No priority is set at run time.');
    const body = { type: ' mail.send ', priority: 20, cascade: true, reason: 'quarter end' };
    expect(await act('override', body)).toMatchObject({
      ok: true,
      message: expect.stringContaining('type mail.send to 20'),
      to: '/workers',
    });
    const text = words(await stage.read('/workers'));
    expect(text).toMatch(/mail\.send .* 20 Override priority…/);
    expect(text).toMatch(/type mail\.send 20 all jobs .* anna Change… Clear…/);
    expect(text).toContain('nightcrew priorities list');
    const entry = { verb: 'overridePriority', actor: 'anna', reason: 'quarter end', scope: 'type#mail.send', detail: '20' };
    expect(await stage.world.admin.audit()).toContainEqual(expect.objectContaining(entry));
  });

  it('of a tenant and its default are two, whatever its name is', async () => {
    for (const tenant of [HOSTILE, ' a#b@default ', 'default']) {
      const scope = `tenant#${tenant}`;
      expect(await act('override', { scope, priority: 3 })).toMatchObject({ ok: true });
      expect(await act('override', { scope, priority: -1, default: true })).toMatchObject({ ok: true });
      expect(await stage.world.admin.priorities()).toMatchObject([
        { scope, priority: 3, default: false },
        { scope, priority: -1, default: true },
      ]);
      const text = await stage.read('/workers');
      expect(text).not.toContain('<script>alert');
      expect(words(text)).toContain('-1 jobs created since, as the default');
      for (const isDefault of [true, false]) expect(await act('clear', { scope, default: isDefault })).toMatchObject({ ok: true });
    }
  });

  it('say so when another operator was faster', async () => {
    await act('override', { tenant: 'acme', priority: 3 });
    await stage.world.admin.clearPriority({ tenant: 'acme' });
    expect(await act('clear', { scope: 'tenant#acme' })).toMatchObject({
      status: 409,
      ok: false,
      message: 'No such priority is set for tenant acme any more.',
    });
  });

  it.each([
    {},
    { priority: 1 },
    { type: 'mail.send' },
    { type: 'mail.send', priority: 1.5 },
    { type: 'mail.send', priority: 'high' },
    { type: 'no type', priority: 1 },
    { type: 'mail.send', tenant: 'acme', priority: 1 },
    { type: 'mail.send', scope: 'type#mail.send', priority: 1 },
    { type: 'mail.send', priority: 1, default: true },
    { scope: 'all', priority: 1 },
    { scope: 'group#g', priority: 1 },
    { scope: 'type#mail.send@default', priority: 1 },
    { scope: 7, priority: 1 },
    { tenant: '__proto__', priority: 1 },
    { tenant: 'x'.repeat(300), priority: 1 },
  ])('are not set by %o', async (body) => {
    expect(await act('override', body)).toMatchObject({ status: 400, ok: false });
  });
});
