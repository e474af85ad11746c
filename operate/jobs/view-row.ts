import { ATTRIBUTES, attributesThat } from '../../shared/job/attributes.ts';
import { defined } from '../../shared/job/defined.ts';
import { lastErrors } from '../../shared/job/last-errors.ts';
import type { ShownError } from '../../shared/job/shown-error.ts';
import { storedInstant } from '../../shared/job/instant.ts';
import type { JobState } from '../../shared/job/job.ts';
import { dueAtOf, isJobId } from '../../shared/job/job-id.ts';
import type { Row } from '../../shared/ports/tables.ts';
import { groupOfWaiting } from '../../shared/store/group-places.ts';
import { limitPartition } from '../../shared/store/parked-rows.ts';
import { instantOfRow, type JobTable, stateOfRow } from './match-row.ts';
import type { JobView } from './job-view.ts';

const SHOWN = attributesThat(({ shown }) => shown !== undefined);
const TYPES = { text: 'string', integer: 'number', count: 'number', flag: 'boolean' } as const;

/** A row as an operator sees it: one that cannot be read as a job too, with what can be read of it. `whole`: with payload and stack. */
export function viewOfRow(table: JobTable, row: Row, whole = false): JobView {
  const id = String(row['id']);
  const state = stateOfRow(table, row);
  const dueAt = storedInstant(row['dueAt']) ?? (isJobId(id) ? dueAtOf(id) : 0);
  const error = errorOf(row, whole);
  const count = (name: string): number => Number(row[name] ?? 0) || 0;
  return {
    ...attributes(row, whole),
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
    ...(whole ? { ...wholeFields(row), ...pastErrors(row, error) } : {}),
  };
}

/** What the row has of the attributes that keep their names. Those of a single job are left out of lists, so that their pages stay small. */
function attributes(row: Row, whole: boolean): Partial<JobView> {
  const fields: Record<string, unknown> = {};
  for (const name of SHOWN) {
    const [{ kind, shown }, value] = [ATTRIBUTES[name], row[name]];
    if (shown === 'single' && !whole) continue;
    const at = kind === 'instant' ? storedInstant(value) : undefined;
    if (at !== undefined) fields[name] = new Date(at);
    else if (kind !== 'instant' && typeof value === TYPES[kind]) fields[name] = value;
  }
  return fields;
}

function parkedFields(state: JobState, row: Row): Partial<JobView> {
  const since = storedInstant(instantOfRow(state, row));
  const shard = String(row['shard']);
  const isBehind = groupOfWaiting(shard.slice(limitPartition('').length)) !== undefined;
  return { ...(isBehind ? {} : { limit: shard }), ...(since === undefined ? {} : { parkedAt: new Date(since) }) };
}

/** The columns of an index lack the instant of the error: a dead letter died of it. */
function errorOf(row: Row, whole: boolean): ShownError | undefined {
  const { errorName: name, errorMessage: message, errorStack: stack } = row;
  const at = storedInstant(row['errorAt'] ?? row['failedAt'] ?? row['suspendedAt']);
  if (typeof name !== 'string' || typeof message !== 'string' || at === undefined) return undefined;
  return { name, message, ...(whole && typeof stack === 'string' ? { stack } : {}), at: new Date(at) };
}

function pastErrors({ lastErrors: kept }: Row, error: ShownError | undefined): Partial<JobView> {
  if (error === undefined) return {};
  const last = { ...error, at: error.at.getTime() };
  return { lastErrors: lastErrors({ error: last, ...(typeof kept === 'string' ? { lastErrors: kept } : {}) }) };
}

function wholeFields(row: Row): Partial<JobView> {
  const { payload, schemaVersion, state, raw, groupPlace } = row;
  return {
    ...(typeof groupPlace === 'string' ? { holdsBack: true } : {}),
    ...(typeof payload === 'string' ? { payload } : {}),
    ...(typeof payload === 'string' ? { schemaVersion: Math.max(1, Number(schemaVersion ?? 1) || 1) } : {}),
    ...(typeof state === 'string' ? { handlerState: state } : {}),
    ...(typeof raw === 'string' ? { raw } : {}),
  };
}
