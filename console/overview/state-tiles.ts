import { html } from 'hono/html';
import type { Heartbeat } from '../../shared/admin/statistics/statistics.ts';
import type { Html, PageRequest } from '../page.ts';
import { type Tile, tiles } from '../parts/facts.ts';
import { href } from '../parts/links.ts';
import { duration } from '../parts/times.ts';
import { remembered } from '../remembered.ts';

const GROUPS_PER_PAGE = 100;
const MOST_GROUPS = 500;
const DEAD_EVERY_MS = 15_000;
const COUNT_EVERY_MS = 60_000;

/** How many jobs there are in each state, without a scan: dead letters from the error groups, the rest from what the sweeper saw last. */
export async function stateTiles(request: PageRequest): Promise<Html> {
  const [beats, dead] = await Promise.all([request.admin.heartbeats(), openDead(request)]);
  const sweeper = beats.find(({ who }) => who === 'sweeper');
  const counted = request.query.get('count') === '1' ? await countNow(request) : undefined;
  const seen = sweeper === undefined ? 'no sweep yet' : `swept ${duration(Math.max(0, request.now() - sweeper.at.getTime()))} ago`;
  const oldest = figure(sweeper, 'oldestReadyMs');
  return html`${tiles([
    tile('ready', counted?.ready ?? figure(sweeper, 'ready'), counted === undefined ? seen : 'counted now', 'busy'),
    tile('running', counted?.running ?? figure(sweeper, 'running'), counted === undefined ? seen : 'counted now', 'good'),
    {
      label: 'oldest that waits',
      value: oldest === undefined ? '-' : oldest === 0 ? 'none' : duration(oldest),
      detail: seen,
      tone: (oldest ?? 0) > 15 * 60_000 ? 'bad' : 'plain',
      href: href(['jobs'], { state: 'ready' }),
    },
    tile('waiting', counted?.waiting, counted === undefined ? 'not counted' : 'counted now', 'plain'),
    tile('parked', counted?.parked, counted === undefined ? 'not counted' : 'counted now', 'held'),
    tile('suspended', counted?.suspended, counted === undefined ? 'not counted' : 'counted now', 'warn'),
    {
      label: 'dead letters',
      value: `${counted?.dead ?? dead.open}${counted === undefined && dead.more ? '+' : ''}`,
      detail: `in ${dead.groups}${dead.more ? '+' : ''} open incidents`,
      tone: dead.open > 0 ? 'bad' : 'good',
      href: '/dead-letters',
    },
  ])}
  ${
    counted === undefined
      ? html`<p class="hint"><a href="/?count=1">Count now</a>: reads the tables, at most 10,000 read units.</p>`
      : html`<p class="hint">
          Counted with ${counted.readUnits} read units${counted.complete ? '' : ', which ended before the tables: there are more'}.
          <a href="/">Back to what is free</a>
        </p>`
  }`;
}

function tile(state: string, count: number | undefined, detail: string, tone: Tile['tone']): Tile {
  const value = count === undefined ? '-' : count.toLocaleString('en');
  return { label: state, value, detail, ...(tone === undefined ? {} : { tone }), href: href(['jobs'], { state }) };
}

function figure(beat: Heartbeat | undefined, name: string): number | undefined {
  const value = beat?.report[name];
  return typeof value === 'number' ? value : undefined;
}

async function countNow({ admin, now }: PageRequest) {
  return remembered({ owner: admin, key: 'count', ttlMs: COUNT_EVERY_MS, now: now() }, async () => admin.count());
}

/** Dead letters that lie there, summed over the open incidents. */
async function openDead({ admin, now }: PageRequest): Promise<{ readonly open: number; readonly groups: number; readonly more: boolean }> {
  return remembered({ owner: admin, key: 'open-dead', ttlMs: DEAD_EVERY_MS, now: now() }, async () => {
    let [open, groups] = [0, 0];
    let after: string | undefined;
    do {
      const page = await admin.errorGroups({ state: 'open', limit: GROUPS_PER_PAGE, ...(after === undefined ? {} : { after }) });
      groups += page.groups.length;
      open += page.groups.reduce((sum, group) => sum + group.open, 0);
      after = page.next;
    } while (after !== undefined && groups < MOST_GROUPS);
    return { open, groups, more: after !== undefined };
  });
}
