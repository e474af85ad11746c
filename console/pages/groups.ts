import { html } from 'hono/html';
import type { HeldGroup } from '../../shared/features/group-order/admin/held-groups.ts';
import type { BlockedGroup } from '../../operate/blocked-groups.ts';
import type { Html, Page, PageRequest } from '../page.ts';
import { inTerminal } from '../parts/copy.ts';
import { section } from '../parts/facts.ts';
import { guarded } from '../parts/guarded.ts';
import { href, jobLink, link } from '../parts/links.ts';
import { emptyState, notice } from '../parts/notices.ts';
import { pill } from '../parts/pills.ts';
import { table } from '../parts/table.ts';
import { when } from '../parts/times.ts';
import { remembered } from '../remembered.ts';

/** A scan of Jobs up to 2,500 read units: not at every refresh. */
const LOOK_EVERY_MS = 15_000;
const GROUPS = [
  { label: 'Group' },
  { label: 'Held by' },
  { label: 'Held since' },
  { label: 'Lock ends' },
  { label: 'Waiting', kind: 'number' },
  { label: 'Oldest due' },
] as const;
const HELD = [
  { label: 'Group' },
  { label: 'Held back by' },
  { label: 'State' },
  { label: 'Started' },
  { label: 'Waiting', kind: 'number' },
] as const;
const LOCKS = [{ label: 'Shard' }, { label: 'State' }, { label: 'Owner' }, { label: 'Taken' }, { label: 'Ends' }] as const;

/** Exclusive groups that are locked while their jobs wait, and the locks of acquirers. */
export const groupsPage: Page = {
  path: '/groups',
  title: 'Groups and locks',
  nav: { label: 'Groups and locks', key: 'r' },
  live: true,
  render: async (request) =>
    html`${await guarded(request, 'GET /groups (groups)', async () => groupsSection(request))}
    ${await guarded(request, 'GET /groups (locks)', async () => locksSection(request))}
    ${inTerminal(request, ['groups'], ['stats', 'locks'])}`,
};

async function groupsSection(request: PageRequest): Promise<Html> {
  const look = { owner: request.admin, key: 'blocked-groups', ttlMs: LOOK_EVERY_MS, now: request.now() };
  const {
    groups,
    held = [],
    complete,
    readUnits,
    withoutGroupQueue = [],
  } = await remembered(look, async () => request.admin.blockedGroups());
  const rows = groups.map((one) => ({ href: href(['jobs'], { group: one.group }), cells: cellsOf(request, one) }));
  const empty = emptyState('No group is blocked.', 'A group is listed while one of its jobs runs and others are due.');
  const aside = html`<span class="hint"
    >${complete ? 'All jobs read' : 'Not all jobs read: more may wait'}, ${readUnits} read units, at most every 15 s</span
  >`;
  const listed = table({ id: 'groups', caption: 'Waiting groups', columns: GROUPS, rows, empty });
  return html`${withoutGroupQueue.map(withoutQueue)} ${section('groups-rows', 'Waiting groups', listed, aside)}
  ${held.length === 0 ? '' : section('held-rows', 'Held back by a failure', heldTable(request, held))}`;
}

/** Groups with `onFailure: 'block'`. The page of the job has the button that releases its group. */
function heldTable(request: PageRequest, held: readonly HeldGroup[]): Html {
  const rows = held.map(({ group, heldBy, since, waiting, exact }) => ({
    href: href(['jobs', heldBy.id]),
    cells: [
      link(href(['jobs'], { group }), group),
      html`${jobLink(heldBy.id)} <span class="hint">${heldBy.type ?? 'its row cannot be read'}</span>`,
      heldBy.state === 'dead' ? pill('dead', 'bad') : pill(heldBy.state ?? 'unreadable', 'warn'),
      since === undefined ? 'not yet' : when(since, request),
      exact ? waiting : `over ${waiting}`,
    ],
  }));
  const empty = emptyState('No group is held back.', '');
  return table({ id: 'held', caption: 'Groups that a failure holds back', columns: HELD, rows, empty });
}

function withoutQueue(worker: string): Html {
  const text = html`Its jobs may wait for minutes when their group is held. Give it <code>groups: true</code> in the construct.`;
  return notice('warn', `Worker ${worker} runs grouped jobs without a queue for them`, text);
}

function cellsOf(request: PageRequest, { group, heldBy, since, until, waiting, oldestDueAt }: BlockedGroup) {
  const holder =
    heldBy === undefined
      ? html`<span class="hint">no job that the scan saw: between two jobs, or until its lock ends</span>`
      : html`${jobLink(heldBy.id)} <span class="hint">${heldBy.type} on ${heldBy.worker}, attempt ${heldBy.attempt}</span>`;
  return [link(href(['jobs'], { group }), group), holder, when(since, request), when(until, request), waiting, when(oldestDueAt, request)];
}

async function locksSection(request: PageRequest): Promise<Html> {
  const locks = await request.admin.acquireLocks();
  const rows = locks.map(({ shard, expired, lockOwner, takenAt, lockExpiresAt }) => ({
    cells: [
      shard,
      expired ? pill('expired', 'warn') : pill('held', 'good'),
      lockOwner,
      when(takenAt, request),
      when(lockExpiresAt, request),
    ],
  }));
  const empty = emptyState('No acquirer holds a shard.', 'Acquirers lock a shard of the timers only while they fire its due timers.');
  return section('locks-rows', 'Acquire locks', table({ id: 'locks', caption: 'Acquire locks', columns: LOCKS, rows, empty }));
}
