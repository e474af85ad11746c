import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JobTimeline } from '../../operate/index.ts';
import { type EveryState, HOSTILE, jobsInEveryState } from './jobs-in-every-state.ts';
import { openConsole } from './open-console.ts';
import { words } from './page-words.ts';

let world: EveryState;

beforeAll(async () => {
  world = await jobsInEveryState(3);
});

afterAll(async () => world.release());

async function page(id: string, timeline?: JobTimeline): Promise<string> {
  const admin = timeline === undefined ? world.admin : { ...world.admin, timeline: async () => Promise.resolve(timeline) };
  const open = await openConsole({ admin, now: () => world.kit.clock.now(), redact: ['iban'] });
  const { text } = await open.get(`/jobs/${id}`);
  expect(open.problems).toEqual([]);
  await open.close();
  return text;
}

describe('the timeline on the page of a job', () => {
  it('has what an operator did to it, with who, why and what, as texts', async () => {
    await world.admin.setPriority(world.ids.waiting, 7, { actor: `anna ${HOSTILE}`, reason: 'a customer waits' });
    const text = await page(world.ids.waiting);
    expect(words(text)).toMatch(/Created .* Set priority by anna .* a customer waits/);
    expect(text).not.toContain('<script>alert');
    expect(text).toMatch(/<li class="acted">/);
  });

  it('shows a result without its hidden fields, and says when the audit was not read to its end', async () => {
    const result = { json: '{"total":7,"iban":"DE00"}', until: new Date(world.kit.clock.now() + 60_000) };
    const text = await page(world.ids.finished, { id: world.ids.finished, entries: [], result, actsComplete: false });
    expect(words(text)).toContain('Kept until');
    expect(text).toContain('&quot;total&quot;: 7');
    expect(text).not.toContain('DE00');
    expect(words(text)).toContain('What operators did more than 31 days ago');
    expect(words(await page(world.ids.waiting))).not.toContain('more than 31 days ago');
  });

  it('is all that is left of a dead letter that was deleted', async () => {
    await world.admin.delete(world.ids.dead, { actor: 'ben', reason: 'a typo' });
    const text = words(await page(world.ids.dead));
    expect(text).toContain('There is no such job here');
    expect(text).toMatch(/What History and audit still have .*Delete by ben .* a typo/);
  });
});
