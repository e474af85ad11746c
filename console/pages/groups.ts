import { html } from 'hono/html';
import type { BlockedGroup } from '../../shared/admin/blocked-groups.ts';
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
const LOCKS = [{ label: 'Shard' }, { label: 'State' }, { label: 'Owner' }, { label: 'Taken' }, { label: 'Ends' }] as const;

/** Exclusive groups that are held while their jobs wait, and what acquirers hold. */
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
  const { groups, complete, readUnits, withoutGroupQueue = [] } = await remembered(look, async () => request.admin.blockedGroups());
  const rows = groups.map((one) => ({ href: href(['jobs'], { group: one.group }), cells: cellsOf(request, one) }));
  const empty = emptyState('No group is blocked.', 'A group is listed while one of its jobs runs and others are due.');
  const aside = html`<span class="hint"
    >${complete ? 'All jobs read' : 'Not all jobs read: more may wait'}, ${readUnits} read units, at most every 15 s</span
  >`;
  const listed = table({ id: 'groups', caption: 'Waiting groups', columns: GROUPS, rows, empty });
  return html`${withoutGroupQueue.map(withoutQueue)} ${section('groups-rows', 'Waiting groups', listed, aside)}`;
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
  const empty = emptyState('No acquirer holds a shard.', 'Acquirers lock a shard of the timers only while they fire what is due in it.');
  return section('locks-rows', 'Acquire locks', table({ id: 'locks', caption: 'Acquire locks', columns: LOCKS, rows, empty }));
}
