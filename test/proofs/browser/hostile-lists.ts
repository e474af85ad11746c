import type { Admin } from '../../../operate/index.ts';
import type { ScheduleView } from '../../../shared/features/schedules/admin/schedules.ts';
import { NOW } from '../../console/fixed-deployment.ts';
import { VECTORS } from './vectors.ts';

const AT = new Date(NOW - 60_000);
const ID = '019a8f3e-6f00-7abc-8def-0123456789ab';

/** Lists of the whole in which every text is a vector, one entry for each. */
export function hostileLists(): Partial<Admin> {
  return {
    limits: async () => ({
      limits: VECTORS.map((text) => ({ limit: text, hash: text, held: 1, parked: 1, exact: false })),
      complete: false,
      readUnits: 1,
    }),
    limitNumbers: async () =>
      VECTORS.map((text) => ({ limit: text, n: 1, coded: 2, workers: [text], set: { n: 1, actor: text, at: AT, reason: text } })),
    workers: async () =>
      VECTORS.map((text) => ({
        worker: text,
        kind: 'lambda',
        version: text,
        types: [text],
        off: [text],
        firstSeen: AT,
        lastSeen: AT,
        fresh: true,
      })),
    suspensions: async () =>
      VECTORS.map((text) => ({ scope: `tenant#${text}`, reason: text, actor: text, state: 'in-force', at: AT, until: AT })),
    priorities: async () =>
      VECTORS.map((text) => ({ scope: `tenant#${text}`, priority: 1, actor: text, at: AT, cascade: true, default: true })),
    blockedGroups: async () => ({
      groups: VECTORS.map((text) => ({
        group: text,
        since: AT,
        until: AT,
        waiting: 1,
        oldestDueAt: AT,
        heldBy: { id: ID, type: text, worker: text, attempt: 1 },
      })),
      complete: true,
      readUnits: 1,
    }),
    acquireLocks: async () => VECTORS.map((text) => ({ shard: text, lockOwner: text, takenAt: AT, lockExpiresAt: AT, expired: false })),
    batches: async () => ({
      batches: VECTORS.map((text) => ({
        id: text,
        name: text,
        tenant: text,
        state: 'open',
        total: 1,
        succeeded: 0,
        failed: 0,
        cancelled: 0,
        pending: 1,
        fired: [],
        createdAt: AT,
      })),
      next: VECTORS[0] ?? '',
    }),
    auditPage: async () => ({
      next: VECTORS[0] ?? '',
      entries: VECTORS.map((text) => ({
        verb: text,
        actor: text,
        at: AT,
        scope: text,
        jobId: text,
        type: text,
        tenant: text,
        reason: text,
        detail: text,
      })),
    }),
    heartbeats: async () => VECTORS.map((text) => ({ who: text, at: AT, late: true, report: { [text]: text } })),
    errorGroups: async () => ({
      groups: VECTORS.map((text) => ({
        fingerprint: text,
        type: text,
        errorName: text,
        message: text,
        frame: text,
        state: 'open',
        open: 1,
        seen: 1,
        redriven: 0,
        deleted: 0,
        firstSeen: AT,
        lastSeen: AT,
        sample: text,
      })),
      readUnits: 1,
    }),
    schedules: {
      list: async () => ({ schedules: VECTORS.map(schedule), unreadable: VECTORS, after: VECTORS[0] ?? '' }),
      get: async (name: string) => schedule(name),
      preview: async () => [],
    } as unknown as Admin['schedules'],
  };
}

function schedule(text: string): ScheduleView {
  return {
    name: text,
    type: text,
    tenant: text,
    origin: 'operator',
    definition: {
      name: text,
      type: text,
      worker: text,
      schemaVersion: 1,
      payload: JSON.stringify({ [text]: text }),
      recurrence: { cron: text, zone: text },
      missed: 'coalesce',
      overlap: 'skip',
      jitterMs: 0,
    },
    hash: 'its-hash',
    createdAt: AT,
    runs: 1,
    firedAhead: 0,
    missed: 0,
    skipped: 0,
    paused: { at: AT, reason: text, actor: text },
  };
}
