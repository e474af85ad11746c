import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import {
  type Backlog,
  encodeHint,
  type Hint,
  type HintSender,
  type HintSource,
  type Inbox,
  type QueueRef,
  type ReceivedHint,
  routeHint,
  type RouteQueues,
} from '../../shared/adapters/own/index.ts';
import { inTransaction, lockOf, takeLocks } from './locks.ts';
import { answered } from './statements.ts';

/** The queues in PostgreSQL: both ports of a process that polls. */
export type PostgresHints = HintSender & Inbox & Backlog & HintSource;

/** A message that was received is hidden for this long; a running worker renews it. */
const VISIBILITY = '5 minutes';
const LOOK_EVERY_MS = 250;
const LONGEST_POSTPONE_S = 43_200;

const nameOf = ({ worker, lane, kind }: QueueRef): string => (kind === 'fifo' ? `fifo/${worker}` : `lane/${worker}/${lane}`);

/** A receipt holds until the message is received again. */
const receiptOf = ({ receiptHandle }: ReceivedHint): readonly string[] =>
  /^\d+\/\d+$/.test(receiptHandle) ? receiptHandle.split('/') : ['0', '0'];

type Workers = Readonly<Record<string, RouteQueues>>;

/** The queues of these workers, in the tables of `createSchema`. */
export function createPostgresHints(pool: Pool, workers: Workers): PostgresHints {
  return { ...sending(pool, workers), ...receiving(pool) };
}

function sending(pool: Pool, workers: Workers): HintSender & Backlog {
  const known = ({ worker, lane, kind }: QueueRef): boolean => {
    const queues = Object.hasOwn(workers, worker) ? workers[worker] : undefined;
    return queues !== undefined && (kind === 'fifo' ? queues.fifo !== undefined : Object.hasOwn(queues.lanes, lane));
  };
  return {
    async send(hints) {
      const routed = hints.map((hint) => ({ hint, message: messageOf(hint, workers) }));
      const messages = routed.flatMap(({ message }, at) => (message === undefined ? [] : [{ ...message, at }]));
      try {
        if (messages.length > 0) await insert(pool, messages);
      } catch {
        return hints;
      }
      return routed.flatMap(({ hint, message }) => (message === undefined ? [hint] : []));
    },

    async visible(queue) {
      if (!known(queue)) return undefined;
      const text = 'SELECT count(*)::int AS count FROM nightcrew_messages WHERE queue = $1 AND visible_at <= now()';
      const { rows } = await pool.query<{ count: number }>(text, [nameOf(queue)]);
      return rows[0]?.count;
    },
  };
}

function receiving(pool: Pool): Inbox & HintSource {
  const take = async (queue: QueueRef, max: number): Promise<readonly ReceivedHint[]> => {
    const { rows } = await pool.query<{ id: string; body: string; receives: number }>(RECEIVE, [nameOf(queue), max]);
    return rows
      .toSorted((a, b) => Number(a.id) - Number(b.id))
      .map(({ id, body, receives }) => ({ messageId: id, receiptHandle: `${id}/${receives}`, body, queue, receiveCount: receives }));
  };
  const remove = async (message: ReceivedHint): Promise<void> =>
    void (await pool.query('DELETE FROM nightcrew_messages WHERE id = $1 AND receives = $2', [...receiptOf(message)]));
  return {
    async receive(queue, { max, waitMs, signal }) {
      const until = Date.now() + waitMs;
      for (;;) {
        if (signal?.aborted === true) return [];
        const messages = await answered('receive', async () => take(queue, max));
        const leftMs = until - Date.now();
        if (messages.length > 0 || leftMs <= 0) return messages;
        await sleep(Math.min(LOOK_EVERY_MS, leftMs), undefined, signal === undefined ? {} : { signal }).catch(() => {});
      }
    },

    acknowledge: async (message) => answered('acknowledge', async () => remove(message)),

    async postpone(message, ms) {
      const seconds = Math.min(Math.ceil(Math.max(ms, 0) / 1_000), LONGEST_POSTPONE_S);
      const text = `UPDATE nightcrew_messages SET visible_at = now() + $3 * interval '1 second' WHERE id = $1 AND receives = $2`;
      // If it fails the message comes back when its visibility ends.
      await pool.query(text, [...receiptOf(message), seconds]).catch(() => {});
    },

    async discard(messages) {
      for (const message of messages) await remove(message).catch(() => {});
    },

    async reject({ queue, body }, reason) {
      const text = 'INSERT INTO nightcrew_messages (queue, body, visible_at, reason) VALUES ($1, $2, now(), $3)';
      // PostgreSQL has no character 0.
      await pool.query(text, [`dead/${queue.kind}/${queue.worker}`, body, reason.replaceAll('\0', ' ')]);
    },
  };
}

/** Messages of a group become visible in the order of their ids: who sends to it takes one only after the commit of who sent before. */
async function insert(pool: Pool, messages: readonly Message[]): Promise<void> {
  const groups = messages.flatMap(({ queue, group_hash: group }) => (group === undefined ? [] : [lockOf([queue, group])]));
  const values = [JSON.stringify(messages)];
  if (groups.length === 0) return void (await pool.query(SEND, values));
  await inTransaction(pool, async (client) => {
    await takeLocks(client, groups);
    await client.query(SEND, values);
    return { applied: true };
  });
}

interface Message {
  readonly queue: string;
  readonly body: string;
  readonly delay: number | undefined;
  readonly group_hash?: string | undefined;
  readonly once?: string;
}

function messageOf(hint: Hint, workers: Workers): Message | undefined {
  const { worker, groupHash, id, n } = hint;
  const route = routeHint(hint, Object.hasOwn(workers, worker) ? workers[worker] : undefined);
  if (route === undefined) return undefined;
  const queue = nameOf({ worker, ...route });
  const body = encodeHint(hint, route.forward);
  const message = { queue, body, delay: route.delaySeconds };
  return route.kind === 'fifo' ? { ...message, group_hash: groupHash, once: JSON.stringify([queue, groupHash, id, n]) } : message;
}

/** On FIFO, a message that was sent within five minutes is not sent again. */
const SEND = `
  WITH given AS (SELECT * FROM jsonb_to_recordset($1::jsonb) AS one(at int, queue text, group_hash text, body text, delay int, once text)),
  fresh AS (
    INSERT INTO nightcrew_sent AS old (id, until) SELECT DISTINCT once, now() + interval '5 minutes' FROM given WHERE once IS NOT NULL
    ON CONFLICT (id) DO UPDATE SET until = excluded.until WHERE old.until < now() RETURNING id)
  INSERT INTO nightcrew_messages (queue, group_hash, body, visible_at)
  SELECT queue, group_hash, body, now() + delay * interval '1 second' FROM given
  WHERE once IS NULL OR (once IN (SELECT id FROM fresh) AND at = (SELECT min(at) FROM given AS same WHERE same.once = given.once))
  ORDER BY at`;

/** The first message of a group holds back the others until it is gone. */
const RECEIVE = `
  WITH taken AS MATERIALIZED (
    SELECT id FROM nightcrew_messages AS one
    WHERE queue = $1 AND visible_at <= now() AND (group_hash IS NULL OR NOT EXISTS (
      SELECT FROM nightcrew_messages AS first WHERE first.queue = one.queue AND first.group_hash = one.group_hash AND first.id < one.id))
    ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED)
  UPDATE nightcrew_messages AS message SET visible_at = now() + interval '${VISIBILITY}', receives = receives + 1
  FROM taken WHERE message.id = taken.id RETURNING message.id, body, receives`;
