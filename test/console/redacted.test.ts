import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { stepsOf, timeline } from '../../console/jobs/attempt-timeline.ts';
import type { AttemptEntry } from '../../shared/features/history/model/history-entry.ts';
import { createAdminOver } from '../../operate/admin.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { idKey } from '../../shared/store/rows.ts';
import { type EveryState, jobsInEveryState } from './jobs-in-every-state.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { type OpenConsole, openConsole } from './open-console.ts';

let world: EveryState;
let page: OpenConsole;
let whole: OpenConsole;

beforeAll(async () => {
  world = await jobsInEveryState(3);
  const now = () => world.kit.clock.now();
  page = await openConsole({ admin: world.admin, now, redact: ['password'] });
  whole = await openConsole({ admin: world.admin, now });
});
afterAll(async () => {
  await world.release();
  await page.close();
  await whole.close();
});

it('no text is searched where fields are hidden: what is found would tell what they hold', async () => {
  for (const text of ['hunter2', 'hunterX']) {
    const list = await page.get(`/jobs?state=dead&text=${text}&count=1`);
    expect(list.text).toContain('does not search their text');
    expect(list.text).not.toContain('match in all');
    expect(list.text).not.toMatch(/data-select value|name="text"/);
    expect(await page.act('bulk', { verb: 'redrive', query: `state=dead&text=${text}`, dryRun: true })).toMatchObject({ status: 400 });
  }
  expect((await page.get('/find?q=hunter2')).text).not.toContain('text=hunter2');
  expect((await whole.get('/find?q=hunter2')).text).toContain('text=hunter2');
  expect((await whole.get('/jobs?state=dead&text=hunter2')).text).toContain(world.ids.dead);
});

it('a row that cannot be read is hidden as a whole, its copy too', async () => {
  const rig = new Rig();
  const { id } = await rig.client.enqueue(defineJob('work', { payload: anyPayload }), { password: 'hunter2' });
  await rig.tables.write({ op: 'update', table: 'jobs', key: idKey(id), set: { failures: 'many' } });
  const look = async (redact: readonly string[]): Promise<string> => {
    const own = await openConsole({ admin: createAdminOver(rig.deps), now: () => rig.clock.now(), redact });
    const { text } = await own.get(`/jobs/${id}`);
    await own.close();
    return text;
  };
  expect(await look(['password'])).toContain('Its text is hidden');
  expect(await look(['password'])).not.toContain('hunter2');
  expect(await look([])).toContain('hunter2');
});

describe('what a patch would break', () => {
  const strict = defineJob('strict', {
    payload: z.object({ password: z.string({ error: ({ input }) => `${String(input)} is no text` }), to: z.optional(z.string()) }),
    version: 2,
    upcast: {
      1: (old) => {
        throw new Error(JSON.stringify(old));
      },
    },
  });

  async function shown(
    redact: readonly string[],
    set: object,
  ): Promise<{ readonly preview: unknown; readonly one: unknown; readonly bulk: string }> {
    const rig = new Rig();
    const admin = createAdminOver({ ...rig.deps, jobTypes: new Map([[strict.name, strict]]) });
    const { id } = await rig.client.enqueue(strict, { password: 'x' });
    await rig.tables.write({ op: 'update', table: 'jobs', key: idKey(id), set: { payload: '{"password":4711}', ...set } });
    const own = await openConsole({ admin, now: () => rig.clock.now(), redact });
    const asked = { verb: 'patch', query: 'type=strict', patch: '{"to":"a"}' };
    const preview = await own.act('bulk', { ...asked, dryRun: true, preview: true });
    const one = await own.act('patch-payload', { id, patch: '{"to":"a"}' });
    const begun = await own.act('bulk', { ...asked, dryRun: false, expected: 1 });
    await expect.poll(async () => (await admin.bulkReport(String(begun.bulk)))?.status).toBe('done');
    const { text } = await own.get(`/bulks/${begun.bulk}`);
    await own.close();
    return { preview, one, bulk: text };
  }

  it('is told by its path where fields are hidden, because the message of a schema may quote it', async () => {
    const { preview, one, bulk } = await shown(['password'], {});
    const message = expect.stringContaining('does not fit its schema at: password.');
    expect(preview).toMatchObject({ ok: false, message });
    expect(one).toMatchObject({ status: 400, message });
    expect(bulk).toContain('does not fit its schema at: password.');
    expect(JSON.stringify([preview, one, bulk])).not.toContain('4711');
    const all = await shown([], {});
    for (const text of Object.values(all)) expect(JSON.stringify(text)).toContain('4711 is no text');
  });

  it('is not told where an upcast threw, whose message may quote anything', async () => {
    const { preview, bulk } = await shown(['password'], { schemaVersion: 1 });
    expect(preview).toMatchObject({ ok: false, message: expect.stringContaining('Its error is hidden') });
    expect(bulk).toContain('Its error is hidden');
    expect(JSON.stringify([preview, bulk])).not.toContain('4711');
  });
});

it('fields of log lines are hidden by their names', async () => {
  const log = [{ at: 'then', level: 'info', message: 'signs in', fields: { user: 'u', deep: [{ Password: 'hunter2' }] } }];
  const at = new Date(0);
  const attempt = { attempt: 1, startedAt: at, endedAt: at, outcome: 'completed', requestId: 'r', log } as unknown as AttemptEntry;
  const shown = async (redact: readonly string[]) =>
    String(
      await timeline(
        { zone: 'UTC', now: () => 0, redact } as unknown as Parameters<typeof timeline>[0],
        stepsOf({ createdAt: at, state: 'finished' }, [attempt]),
      ),
    );
  expect(await shown(['password'])).toMatch(/\[redacted\]/);
  expect(await shown(['password'])).not.toContain('hunter2');
  expect(await shown([])).toContain('hunter2');
});
