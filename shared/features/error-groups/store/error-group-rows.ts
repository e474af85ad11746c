import { defined } from '../../../job/defined.ts';
import type { Death, StoredGroup } from '../model/error-group.ts';
import { iso } from '../../../job/instant.ts';
import { cutToBytes } from '../../../job/size-limits.ts';
import type { Row, RowKey } from '../../../ports/tables.ts';
import { rowBytes } from '../../../store/row-bytes.ts';
import { rowCodec } from '../../../store/row-codec.ts';

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

const GROUP = rowCodec({
  type: 'text~',
  errorName: 'text~',
  message: 'text~',
  frame: 'text~',
  sample: 'text~',
  firstSeen: 'instant~',
  lastSeen: 'instant~',
  seen: 'integer~',
  redriven: 'integer~',
  deleted: 'integer~',
  settled: 'integer~',
  leftAt: 'instant~',
  settledAt: 'instant~',
  note: 'text~',
  owner: 'text~',
  ignoredUntil: 'instant~',
  resolvedAt: 'instant~',
  resolvedBy: 'text~',
});
const BLANK = { type: '', errorName: '', message: '', sample: '', lastSeen: 0, seen: 0, redriven: 0, deleted: 0, settled: 0 } as const;

/** A group as it was read. Of a damaged row it gives what can be read: it must not keep the others from being shown. */
export function decodeErrorGroup(row: Row): StoredGroup {
  const fields = { ...BLANK, ...GROUP.decode(row) };
  return { fingerprint: String(row['sk']), firstSeen: fields.lastSeen, ...fields };
}
