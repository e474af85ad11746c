import { InvalidInputError } from './errors.ts';
import { hash32, sha256 } from './hash.ts';

/**
 * A job id is a UUIDv7 (RFC 9562) whose timestamp is the first due time of the job, so that the id alone finds the
 * job's timer row and its history row.
 */
export type JobId = string;

/** Number of virtual shards of the Timers table. Fixed forever: the keys of stored rows depend on it. */
export const SHARDS = 64;
/** Number of partitions of a day in History. Fixed forever. */
const DAY_PARTS = 64;
/** Number of leaves of every spread key (indexes of DeadLetters and Suspended, schedules, the event log). Fixed forever. */
export const LEAVES = 16;

const JOB_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const MAX_TIMESTAMP = 2 ** 48 - 1;

/** Builds an id from its due time (epoch milliseconds) and ten random bytes. */
export function makeJobId(dueAt: number, bytes: Uint8Array): JobId {
  if (!Number.isFinite(dueAt)) throw new InvalidInputError('dueAt', dueAt, 'Use epoch milliseconds.');
  const time = Math.min(Math.max(Math.floor(dueAt), 0), MAX_TIMESTAMP)
    .toString(16)
    .padStart(12, '0');
  const random = Buffer.from(bytes).toString('hex').padEnd(20, '0');
  const variant = ((Number.parseInt(random[3] ?? '0', 16) & 0x3) | 0x8).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-${variant}${random.slice(4, 7)}-${random.slice(7, 19)}`;
}

/** An id that is the same for the same due time and text: what an at-least-once producer gives as its own `id`. */
export function jobIdFrom(dueAt: number, text: string): JobId {
  return makeJobId(dueAt, Buffer.from(sha256(text), 'base64url').subarray(0, 10));
}

/** Whether a text has the form of a job id: a lower-case UUIDv7. */
export function isJobId(text: unknown): text is JobId {
  return typeof text === 'string' && JOB_ID.test(text);
}

/** Refuses what is not a job id; `field` names it. */
export function checkJobId(id: unknown, field = 'id'): JobId {
  if (isJobId(id)) return id;
  throw new InvalidInputError(
    field,
    id,
    'Use a lower-case UUIDv7 whose timestamp is the due time; client.newId() and jobIdFrom() make them.',
  );
}

/** Epoch milliseconds at which the job with this id was first due. */
export function dueAtOf(id: JobId): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

const randomBits = (id: JobId): number => hash32(id.slice(15));

/** Shard of the Timers table, `00` to `3f`. */
export function shardOf(id: JobId): string {
  return hexPair(randomBits(id) % SHARDS);
}

/** Leaf of every spread key, `0` to `f`. */
export function leafOf(id: JobId): string {
  return (randomBits(id) % LEAVES).toString(16);
}

/**
 * Part of its day in History, `00` to `3f`. From other bits than the shard: the timers of a shard are fired together, and what runs
 * together must not be written to one partition.
 */
export function dayPartOf(id: JobId): string {
  return hexPair((randomBits(id) >>> 16) % DAY_PARTS);
}

/** All parts of a day in History. */
export function dayParts(): readonly string[] {
  return Array.from({ length: DAY_PARTS }, (_, part) => hexPair(part));
}

const hexPair = (number: number): string => number.toString(16).padStart(2, '0');

/** All shards, `00` to `3f`; with `acquirers` > 1 those that acquirer number `index` serves. */
export function shardsOf(acquirers = 1, index = 0): readonly string[] {
  return Array.from({ length: SHARDS }, (_, shard) => shard)
    .filter((shard) => shard % acquirers === index)
    .map(hexPair);
}

/** All leaves, `0` to `f`. */
export function leaves(): readonly string[] {
  return Array.from({ length: LEAVES }, (_, leaf) => leaf.toString(16));
}
