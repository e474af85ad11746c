import { defined } from '../../../job/defined.ts';
import type { Death, StoredGroup } from '../model/error-group.ts';
import { iso, storedInstant } from '../../../job/instant.ts';
import { cutToBytes } from '../../../job/size-limits.ts';
import type { Row, RowKey } from '../../../ports/tables.ts';
import { rowBytes } from '../../../store/row-bytes.ts';

/** Partition of all error groups, so that they can be listed. */
export const ERROR_GROUPS = 'error-groups';

const DAY_MS = 86_400_000;
/** A group is kept for this long after it was last seen. */
const KEPT_DAYS = 400;
const WRITE_UNIT_BYTES = 1024;
const NAME_BYTES = 128;
const FRAME_BYTES = 200;

/** Key of a group. */
export const errorGroupKey = (fingerprint: string): RowKey => ({ pk: ERROR_GROUPS, sk: fingerprint });

/** The changes of the newest death to its group. Texts are cut so that the row stays within one write unit for any type name. */
export function deathAttributes(death: Death): Row {
  const { message, frame, ...plain } = whole(death);
  const room = Math.max(
    0,
    WRITE_UNIT_BYTES - rowBytes({ ...errorGroupKey(death.fingerprint), ...plain, ...NO_COUNTS, message: '', frame: '' }),
  );
  const at = frame === undefined ? '' : cutToBytes(String(frame), Math.min(FRAME_BYTES, Math.floor(room / 2)));
  return { ...plain, message: cutToBytes(String(message), room - Buffer.byteLength(at)), ...(at === '' ? {} : { frame: at }) };
}

/** Row of a new group. */
export function firstGroupRow(death: Death, seen: number): Row {
  return { ...errorGroupKey(death.fingerprint), ...deathAttributes(death), firstSeen: iso(death.at), seen };
}

const NO_COUNTS: Row = { firstSeen: iso(0), leftAt: iso(0), settledAt: iso(0), seen: 0, redriven: 0, deleted: 0, settled: 0 };

function whole({ type, errorName, message, frame, id, at }: Death): Record<string, Row[string]> {
  return {
    type,
    errorName: cutToBytes(errorName, NAME_BYTES),
    message,
    ...defined({ frame }),
    sample: id,
    lastSeen: iso(at),
    expiresAt: Math.ceil((at + KEPT_DAYS * DAY_MS) / 1000),
  };
}

/** A group as it was read. Of a damaged row it gives what can be read: it must not keep the others from being shown. */
export function decodeErrorGroup(row: Row): StoredGroup {
  const text = (name: string): string => (typeof row[name] === 'string' ? row[name] : '');
  const count = (name: string): number => (Number.isSafeInteger(row[name]) ? Number(row[name]) : 0);
  const lastSeen = storedInstant(row['lastSeen']) ?? 0;
  const instant = (name: string): number | undefined => storedInstant(row[name]);
  const said = (name: string): string | undefined => (typeof row[name] === 'string' ? row[name] : undefined);
  return {
    fingerprint: text('sk'),
    type: text('type'),
    errorName: text('errorName'),
    message: text('message'),
    ...(typeof row['frame'] === 'string' ? { frame: row['frame'] } : {}),
    sample: text('sample'),
    firstSeen: storedInstant(row['firstSeen']) ?? lastSeen,
    lastSeen,
    seen: count('seen'),
    redriven: count('redriven'),
    deleted: count('deleted'),
    settled: count('settled'),
    ...defined({
      leftAt: instant('leftAt'),
      settledAt: instant('settledAt'),
      note: said('note'),
      owner: said('owner'),
      ignoredUntil: instant('ignoredUntil'),
      resolvedAt: instant('resolvedAt'),
      resolvedBy: said('resolvedBy'),
    }),
  };
}
