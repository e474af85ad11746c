import { showList } from '../each-deployment.ts';
import { tenantStatistics, typeStatistics } from '../stats/by-name.ts';
import { limits } from '../stats/limits.ts';
import { throughput } from '../stats/throughput.ts';
import { listSheet } from '../text/table.ts';
import { verbCommand } from '../verb-command.ts';
import type { Verb } from '../verb.ts';

const heartbeats: Verb = {
  name: 'heartbeats',
  summary: 'when acquirers and sweeper last finished a run, and what they reported',
  run: async (call) =>
    showList(
      call,
      async ({ admin }) => ({ heartbeats: await admin.heartbeats() }),
      (found) =>
        listSheet(
          found.heartbeats,
          [
            { head: 'WHO', cell: ({ who }) => who },
            {
              head: 'LAST RUN',
              cell: ({ at, late }) => ({ text: `${call.show.age(at)}${late ? ' (late)' : ''}`, style: late ? 'bad' : 'good' }),
            },
            {
              head: 'REPORTED',
              gives: true,
              cell: ({ report }) =>
                Object.entries(report)
                  .toSorted(([a], [b]) => (a < b ? -1 : 1))
                  .map(([name, value]) => `${name} ${String(value)}`)
                  .join(', '),
            },
          ],
          'No ticks yet: is the deployment active? See nightcrew doctor.',
        ),
    ),
};

const locks: Verb = {
  name: 'locks',
  summary: 'shards of Timers that acquirers are firing, and locks that a crashed one left',
  run: async (call) =>
    showList(
      call,
      async ({ admin }) => ({ locks: await admin.acquireLocks() }),
      (found) =>
        listSheet(
          found.locks,
          [
            { head: 'SHARD', cell: ({ shard }) => shard },
            { head: 'TAKEN', cell: ({ takenAt }) => (takenAt === undefined ? '' : call.show.age(takenAt)) },
            {
              head: 'ENDS',
              cell: ({ lockExpiresAt, expired }) => ({
                text: lockExpiresAt === undefined ? 'unreadable' : call.show.age(lockExpiresAt),
                style: expired ? 'warn' : 'good',
              }),
            },
            { head: 'BY', gives: true, cell: ({ lockOwner }) => lockOwner },
          ],
          'No shard is being fired.',
        ),
    ),
};

/** `nightcrew stats`: throughput, delays, heartbeats, limits. */
export const statsCommand = verbCommand('stats', 'throughput and delays, types and tenants, heartbeats, limits, locks', [
  throughput,
  typeStatistics,
  tenantStatistics,
  heartbeats,
  limits,
  locks,
]);
