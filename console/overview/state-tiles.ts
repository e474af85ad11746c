import { html } from 'hono/html';
import type { Heartbeat } from '../../operate/heartbeats.ts';
import type { Html, PageRequest } from '../page.ts';
import { atLeast, type Tile, tiles } from '../parts/facts.ts';
import { href } from '../parts/links.ts';
import { duration, relative } from '../parts/times.ts';
import { heartbeatsOf, countNow, openGroups } from './figures.ts';

/** How many jobs there are, without a scan: dead letters from the error groups, the rest from the sweeper's last pass over Jobs. */
export async function stateTiles(request: PageRequest): Promise<Html> {
  const [ticks, dead] = await Promise.all([heartbeatsOf(request), openDead(request)]);
  const sweeper = ticks.find(({ who }) => who === 'sweeper');
  const counted = request.query.get('count') === '1' ? await countNow(request) : undefined;
  const deadLetters: Tile = {
    label: 'dead letters',
    value: counted === undefined ? atLeast(dead.open) : counted.dead.toLocaleString('en'),
    detail: dead.groups === 1 && !dead.more ? 'in 1 open error group' : `in ${dead.groups}${dead.more ? '+' : ''} open error groups`,
    tone: dead.open > 0 ? 'bad' : 'good',
    href: '/dead-letters',
  };
  if (counted === undefined) return tiles([...sweptTiles(request, sweeper), deadLetters, NOT_COUNTED]);
  const { readUnits, complete } = counted;
  return html`${tiles([...sweptTiles(request, sweeper).slice(1), ...STATES.map(([state, tone]) => countedTile(state, counted[state], tone)), deadLetters])}
    <p class="hint">
      Counted with ${readUnits.toLocaleString('en')} read units${complete ? '' : ', which ended before the tables: there are more'}; again
      when you reload the page, a minute later at the earliest. <a href="/">Only what costs nothing</a>
    </p>`;
}

const STATES = [
  ['ready', 'busy'],
  ['running', 'good'],
  ['waiting', 'plain'],
  ['parked', 'held'],
  ['suspended', 'warn'],
] as const;
const NOT_COUNTED: Tile = {
  label: 'waiting, parked, suspended',
  value: 'Count now',
  detail: 'reads at most 10,000 read units',
  href: '/?count=1',
};
const LONG_WAIT_MS = 15 * 60_000;

/** The counts of the sweeper's last pass over Jobs. */
function sweptTiles({ now }: PageRequest, sweeper: Heartbeat | undefined): readonly Tile[] {
  const report = sweeper?.report ?? {};
  const { jobs, overdue, oldestWaitMs: oldest, seenAt } = report;
  const detail = typeof seenAt === 'string' ? `seen ${relative(Date.parse(seenAt), now())}` : 'no pass of the sweeper yet';
  const figure = (value: unknown): string => (typeof value === 'number' ? value.toLocaleString('en') : '-');
  const ready = href(['jobs'], { state: 'ready' });
  return [
    { label: 'ready and running', value: figure(jobs), detail, tone: 'busy', href: ready },
    {
      label: 'due for over a minute',
      value: figure(overdue),
      detail,
      tone: typeof overdue === 'number' && overdue > 0 ? 'warn' : 'good',
      href: ready,
    },
    {
      label: 'longest wait',
      value: typeof oldest !== 'number' ? '-' : oldest === 0 ? 'none' : duration(oldest),
      detail,
      tone: typeof oldest === 'number' && oldest > LONG_WAIT_MS ? 'bad' : 'good',
      href: ready,
    },
  ];
}

function countedTile(state: string, count: number, tone: NonNullable<Tile['tone']>): Tile {
  return { label: state, value: count.toLocaleString('en'), detail: 'counted', tone, href: href(['jobs'], { state }) };
}

/** Current dead letters, summed over the open error groups. */
async function openDead(request: PageRequest): Promise<{ readonly open: number; readonly groups: number; readonly more: boolean }> {
  const { groups, next } = await openGroups(request);
  return { open: groups.reduce((sum, group) => sum + group.open, 0), groups: groups.length, more: next !== undefined };
}
