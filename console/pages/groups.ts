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
import { list } from '../parts/table.ts';
import { when } from '../parts/times.ts';
import { remembered } from '../remembered.ts';

/** A scan of Jobs up to 2,500 read units: not at every refresh. */
const LOOK_EVERY_MS = 15_000;

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
  const empty = emptyState('No group is blocked.', 'A group is listed while one of its jobs runs and others are due.');
  const aside = html`<span class="hint"
    >${complete ? 'All jobs read' : 'Not all jobs read: more may wait'}, ${readUnits} read units, at most every 15 s</span
  >`;
  const listed = list({
    id: 'groups',
    caption: 'Waiting groups',
    items: groups,
    columns: [
      ['Group', groupLink],
      ['Held by', holderCell],
      ['Held since', ({ since }) => when(since, request)],
      ['Lock ends', ({ until }) => when(until, request)],
      ['Waiting', ({ waiting }) => waiting, 'number'],
      ['Oldest due', ({ oldestDueAt }) => when(oldestDueAt, request)],
    ],
    href: groupHref,
    empty,
  });
  return html`${withoutGroupQueue.map(withoutQueue)} ${section('groups-rows', 'Waiting groups', listed, aside)}
  ${held.length === 0 ? '' : section('held-rows', 'Held back by a failure', heldTable(request, held))}`;
}

const groupHref = ({ group }: { readonly group: string }): string => href(['jobs'], { group });
const groupLink = (one: { readonly group: string }): Html => link(groupHref(one), one.group);

/** Groups with `onFailure: 'block'`. The page of the job has the button that releases its group. */
function heldTable(request: PageRequest, held: readonly HeldGroup[]): Html {
  return list({
    id: 'held',
    caption: 'Groups that a failure holds back',
    items: held,
    columns: [
      ['Group', groupLink],
      ['Held back by', ({ heldBy }) => html`${jobLink(heldBy.id)} <span class="hint">${heldBy.type ?? 'its row cannot be read'}</span>`],
      ['State', ({ heldBy }) => (heldBy.state === 'dead' ? pill('dead', 'bad') : pill(heldBy.state ?? 'unreadable', 'warn'))],
      ['Started', ({ since }) => (since === undefined ? 'not yet' : when(since, request))],
      ['Waiting', ({ waiting, exact }) => (exact ? waiting : `over ${waiting}`), 'number'],
    ],
    href: ({ heldBy }) => href(['jobs', heldBy.id]),
    empty: emptyState('No group is held back.', ''),
  });
}

function withoutQueue(worker: string): Html {
  const text = html`Its jobs may wait for minutes when their group is held. Give it <code>groups: true</code> in the construct.`;
  return notice('warn', `Worker ${worker} runs grouped jobs without a queue for them`, text);
}

function holderCell({ heldBy }: BlockedGroup): Html {
  return heldBy === undefined
    ? html`<span class="hint">no job that the scan saw: between two jobs, or until its lock ends</span>`
    : html`${jobLink(heldBy.id)} <span class="hint">${heldBy.type} on ${heldBy.worker}, attempt ${heldBy.attempt}</span>`;
}

async function locksSection(request: PageRequest): Promise<Html> {
  const locks = await request.admin.acquireLocks();
  const listed = list({
    id: 'locks',
    caption: 'Acquire locks',
    items: locks,
    columns: [
      ['Shard', ({ shard }) => shard],
      ['State', ({ expired }) => (expired ? pill('expired', 'warn') : pill('held', 'good'))],
      ['Owner', ({ lockOwner }) => lockOwner],
      ['Taken', ({ takenAt }) => when(takenAt, request)],
      ['Ends', ({ lockExpiresAt }) => when(lockExpiresAt, request)],
    ],
    empty: emptyState('No acquirer holds a shard.', 'Acquirers lock a shard of the timers only while they fire its due timers.'),
  });
  return section('locks-rows', 'Acquire locks', listed);
}
