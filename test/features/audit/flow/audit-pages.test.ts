import { expect, it } from 'vitest';
import { createAdminOver } from '../../../../operate/admin.ts';
import { iso } from '../../../../shared/job/instant.ts';
import { auditWrite } from '../../../../shared/features/audit/store/audit.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';

const DAY_MS = 86_400_000;
const work = defineJob('work', { payload: anyPayload });

/** Entries one second after another, every third one of a tenant. */
async function day(count: number) {
  const rig = new Rig();
  const begun = Math.floor(rig.clock.now() / DAY_MS) * DAY_MS;
  for (let n = 0; n < count; n++) {
    const tenant = n % 3 === 0 ? { tenant: 'acme' } : {};
    await rig.tables.write(auditWrite({ verb: `verb-${n}`, actor: 'anna', at: begun + n * 1_000, ...tenant }, `token-${n}`));
  }
  return { rig, admin: createAdminOver(rig.deps), today: iso(begun).slice(0, 10) };
}

it('the audit of a day is read page by page, each entry once, and the last page says that it is the last', async () => {
  const { admin, today } = await day(25);
  const read = async (options: { readonly tenant?: string }): Promise<readonly (readonly string[])[]> => {
    const pages: string[][] = [];
    for (let after: string | undefined; ;) {
      const page = await admin.auditPage({ day: today, limit: 5, ...options, ...(after === undefined ? {} : { after }) });
      pages.push(page.entries.map(({ verb }) => verb));
      after = page.next;
      if (after === undefined) return pages;
    }
  };
  const all = await read({});
  expect(all.map((page) => page.length)).toEqual([5, 5, 5, 5, 5]);
  expect(all.flat()).toEqual(Array.from({ length: 25 }, (_, n) => `verb-${24 - n}`));
  const own = await read({ tenant: 'acme' });
  expect(own.map((page) => page.length)).toEqual([5, 4]);
  expect(own.flat()).toEqual([24, 21, 18, 15, 12, 9, 6, 3, 0].map((n) => `verb-${n}`));
  expect((await admin.forTenant('acme').auditPage({ day: today, limit: 5 })).entries).toHaveLength(5);
});

it('a cursor of another day, or none, is refused', async () => {
  const { admin, today } = await day(3);
  const { next = '' } = await admin.auditPage({ day: today, limit: 1 });
  await expect(admin.auditPage({ day: '2001-01-01', after: next })).rejects.toThrow('after');
  await expect(admin.auditPage({ day: today, after: 'nonsense' })).rejects.toThrow('after');
});

it('bulk actions are listed page by page, each once', async () => {
  const { admin, rig } = await day(0);
  for (let n = 0; n < 7; n++) {
    await rig.client.enqueue(work, {});
    await rig.clock.advance(1_000);
    await admin.bulk({ verb: 'set-priority', priority: n }, { type: 'work' });
  }
  const all = await admin.bulks();
  const first = await admin.bulks({ limit: 3 });
  const second = await admin.bulks({ limit: 3, before: first.at(-1)?.id ?? '' });
  const third = await admin.bulks({ limit: 3, before: second.at(-1)?.id ?? '' });
  expect([...first, ...second, ...third]).toEqual(all);
  expect(third).toHaveLength(1);
  await expect(admin.bulks({ before: '' })).rejects.toThrow('before');
});
