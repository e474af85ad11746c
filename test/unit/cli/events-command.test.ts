import { describe, expect, it } from 'vitest';
import { runCli } from '../../../cli/run-cli.ts';
import type { EventQuery } from '../../../shared/features/events/admin/event-verbs.ts';
import type { EventPage } from '../../../shared/features/events/store/event-log.ts';
import { fakeTerminal, NOON } from '../../cli/fake-terminal.ts';

const environment = { NIGHTCREW_TABLES: '{}', NIGHTCREW_DEPLOYMENT: 'shop' };
const AFTER = '2026-01-31T11:58:00.000Z#7';
const job = { id: '019a8f3e-6f00-7abc-8def-0123456789ab', type: 'mail', worker: 'default', attempt: 2 };
const EVENTS: EventPage['events'] = [
  { id: 'a', event: 'started', at: NOON - 120_000, job },
  { id: 'b', event: 'dead-lettered', at: NOON - 60_000, job, runMs: 61_000, reason: 'failed', errorName: 'E\u001b[2J' },
];

async function nightcrew(args: readonly string[], page: EventPage = { events: EVENTS, after: AFTER, upToDate: false }) {
  const asked: EventQuery[] = [];
  const admin = { events: async (query: EventQuery = {}) => (asked.push(query), Promise.resolve(page)) };
  const terminal = fakeTerminal({ environment, admin, terminal: { out: false, err: false, columns: 200 } });
  const code = await runCli(['events', ...args], terminal.io);
  return { code, asked, out: terminal.out(), err: terminal.err() };
}

describe('nightcrew events', () => {
  it('shows a line for each event in the order of writing, and how to go on', async () => {
    const { code, out, asked } = await nightcrew([]);
    expect(code).toBe(0);
    expect(asked).toEqual([{}]);
    expect(out).toMatch(new RegExp(`11:58:00 +started +${job.id} +mail +2 +default`));
    expect(out).toMatch(/11:59:00 +dead-lettered .* 1m 1s +default +failed, E\\u001b\[2J/);
    expect(out.indexOf('started')).toBeLessThan(out.indexOf('dead-lettered'));
    expect(out).toContain(`There is more: --after ${AFTER}\n`);
  });

  it('takes the time, the size and the cursor, and refuses what is none', async () => {
    const { asked } = await nightcrew(['--from', '2h', '--limit', '5']);
    expect(asked).toEqual([{ from: new Date(NOON - 7_200_000), limit: 5 }]);
    expect((await nightcrew(['--after', AFTER])).asked).toEqual([{ after: AFTER }]);
    expect(await nightcrew(['--limit', 'many'])).toMatchObject({ code: 2, asked: [] });
    expect(await nightcrew(['--from', 'lately'])).toMatchObject({ code: 2, asked: [] });
  });

  it('says where events are kept when there are none, and where later ones begin', async () => {
    const { out } = await nightcrew([], { events: [], after: AFTER, upToDate: true });
    expect(out).toContain('No events. They are kept if the deployment has events: { log: true }');
    expect(out).toContain(`Later events: --after ${AFTER}`);
  });

  it('gives the page as JSON', async () => {
    expect(JSON.parse((await nightcrew(['--json'])).out)).toMatchObject({
      after: AFTER,
      upToDate: false,
      events: [{ event: 'started', at: new Date(NOON - 120_000).toISOString() }, {}],
    });
  });
});
