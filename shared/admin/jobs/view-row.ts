import { defined } from '../../core/defined.ts';
import type { ShownError } from '../../features/history/model/history-entry.ts';
import { storedInstant } from '../../core/instant.ts';
import type { JobState } from '../../core/job.ts';
import { dueAtOf, isJobId } from '../../core/job-id.ts';
import type { Row } from '../../ports/tables.ts';
import { instantOfRow, type JobTable, stateOfRow } from './match-row.ts';
import type { JobView } from './job-view.ts';

const TEXTS = [
  'kind',
  'priorityFrom',
  'group',
  'tenant',
  'correlationId',
  'batch',
  'callbackOf',
  'schedule',
  'retry',
  'progressText',
  'cancelReason',
  'cancelledBy',
  'lockOwner',
  'cause',
  'reason',
  'fingerprint',
  'requestId',
  'outcome',
];
const NUMBERS = ['snoozes', 'dispatches', 'chainDepth', 'continuations', 'triesLimit', 'progress'];
const FLAGS = ['exclusive', 'runNow', 'cancelRequested'];
const INSTANTS = ['nominalAt', 'lockExpiresAt', 'suspendedAt', 'tryAt', 'failedAt', 'startedAt', 'finishedAt'];

/** A row as an operator sees it: one that cannot be read as a job too, with what can be read of it. `whole`: with payload and stack. */
export function viewOfRow(table: JobTable, row: Row, whole = false): JobView {
  const id = String(row['id']);
  const state = stateOfRow(table, row);
  const dueAt = storedInstant(row['dueAt']) ?? (isJobId(id) ? dueAtOf(id) : 0);
  const error = errorOf(row, whole);
  const count = (name: string): number => Number(row[name] ?? 0) || 0;
  return {
    ...kept(row, TEXTS, 'string'),
    ...kept(row, NUMBERS, 'number'),
    ...kept(row, FLAGS, 'boolean'),
    ...instants(row),
    ...(state === 'parked' ? parkedFields(state, row) : {}),
    id,
    type: String(row['type'] ?? ''),
    state,
    worker: String(row['worker'] ?? ''),
    lane: String(row['lane'] ?? ''),
    priority: count('priority'),
    dueAt: new Date(dueAt),
    createdAt: new Date(storedInstant(row['createdAt']) ?? dueAt),
    attempts: count('starts'),
    failures: count('failures'),
    crashes: count('crashes'),
    rev: count('rev'),
    ...defined({ error }),
    ...(whole ? wholeFields(row) : {}),
  };
}

function kept(row: Row, names: readonly string[], type: 'string' | 'number' | 'boolean'): Partial<JobView> {
  return Object.fromEntries(names.flatMap((name) => (typeof row[name] === type ? [[name, row[name]]] : [])));
}

function instants(row: Row): Partial<JobView> {
  return Object.fromEntries(
    INSTANTS.flatMap((name) => {
      const at = storedInstant(row[name]);
      return at === undefined ? [] : [[name, new Date(at)]];
    }),
  );
}

function parkedFields(state: JobState, row: Row): Partial<JobView> {
  const since = storedInstant(instantOfRow(state, row));
  return { limit: String(row['shard']), ...(since === undefined ? {} : { parkedAt: new Date(since) }) };
}

/** The columns of an index lack the instant of the error: a dead letter died of it. */
function errorOf(row: Row, whole: boolean): ShownError | undefined {
  const { errorName: name, errorMessage: message, errorStack: stack } = row;
  const at = storedInstant(row['errorAt'] ?? row['failedAt'] ?? row['suspendedAt']);
  if (typeof name !== 'string' || typeof message !== 'string' || at === undefined) return undefined;
  return { name, message, ...(whole && typeof stack === 'string' ? { stack } : {}), at: new Date(at) };
}

function wholeFields(row: Row): Partial<JobView> {
  const { payload, state, raw } = row;
  return {
    ...(typeof payload === 'string' ? { payload } : {}),
    ...(typeof state === 'string' ? { handlerState: state } : {}),
    ...(typeof raw === 'string' ? { raw } : {}),
  };
}
