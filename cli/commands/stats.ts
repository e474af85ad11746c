import { showList } from '../each-deployment.ts';
import { tenantStatistics, typeStatistics } from '../stats/by-name.ts';
import { limits } from '../stats/limits.ts';
import { throughput } from '../stats/throughput.ts';
import { verbCommand } from '../verb-command.ts';
import type { Verb } from '../verb.ts';

const heartbeats: Verb = {
  name: 'heartbeats',
  summary: 'when acquirers and sweeper last finished a run, and what they reported',
  run: async (call) =>
    showList(
      call,
      async ({ admin }) => ({ heartbeats: await admin.heartbeats() }),
      (found) => ({
        columns: [{ head: 'WHO' }, { head: 'LAST RUN' }, { head: 'REPORTED', gives: true }],
        rows: found.heartbeats.map(({ who, at, late, report }) => [
          who,
          { text: `${call.show.age(at)}${late ? ' (late)' : ''}`, style: late ? 'bad' : 'good' },
          Object.entries(report)
            .toSorted(([a], [b]) => (a < b ? -1 : 1))
            .map(([name, value]) => `${name} ${String(value)}`)
            .join(', '),
        ]),
        empty: 'No ticks yet: is the deployment active? See nightcrew doctor.',
      }),
    ),
};

const locks: Verb = {
  name: 'locks',
  summary: 'shards of Timers that acquirers are firing, and locks that a crashed one left',
  run: async (call) =>
    showList(
      call,
      async ({ admin }) => ({ locks: await admin.acquireLocks() }),
      (found) => ({
        columns: [{ head: 'SHARD' }, { head: 'TAKEN' }, { head: 'ENDS' }, { head: 'BY', gives: true }],
        rows: found.locks.map(({ shard, lockOwner, takenAt, lockExpiresAt, expired }) => [
          shard,
          takenAt === undefined ? '' : call.show.age(takenAt),
          { text: lockExpiresAt === undefined ? 'unreadable' : call.show.age(lockExpiresAt), style: expired ? 'warn' : 'good' },
          lockOwner,
        ]),
        empty: 'No shard is being fired.',
      }),
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
