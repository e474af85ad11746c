const EXECUTOR =
  'About half of the difference is code of Nightcrew (see the profile below): decoding and checking claims, a time limit, a cancel watch and a session for each attempt, rules of operators, metrics and statistics. The other half is work that this causes in the SDK and Node: a deadline on each call, more names in each condition. No single function takes more than 2 %. Avoidable work is already gone: a completion does not request the old row, and nothing is prepared for a failure that does not happen. The rest is work that the hand-written handler does not do.';

const LATENCY =
  'A stored job needs two round trips to the store that a bare hop does not need: the put before the send, and the claim before the handler. Without either, or with the two overlapped, an accepted job could be lost or run twice at once. A hand-written put, send and claim miss the target as well, as the table shows. With median latencies that others measured in AWS (16 ms for a hop, 7.6 ms for a write), two writes and a hop take 1.9 times as long as a hop.';

const TIMERS_KEY =
  'An acquirer uses 800 of the 1,000 write units of a shard in a second, but a throttled transaction is repeated in a later second together with the transactions of that second. The key then reaches its limit for that second. It throttles a request or two, and none is lost.';

const BACKLOG =
  'At the default read units, a pass over five million rows takes longer than the hour for which messages explain a wait. After that hour the sweeper redispatches every overdue job, whether its message is lost or not. A pass over a tenth of the rows ends within the hour and writes nothing, so the growth factor only shows this threshold. The hour bounds how long a lost message can stay hidden; a duplicate message costs one failed write. If millions of jobs wait for more than an hour, raise sweepReadUnits (backlog-fast).';

/**
 * Why each target was missed, by the id of the measurement. A test fails if a missed target of the last full run has no reason here, or if a
 * reason belongs to a target that was met.
 */
export const REASONS: Readonly<Record<string, string>> = {
  'overhead.job.wall': EXECUTOR,
  'overhead.job.cpu': EXECUTOR,
  'overhead.executor.wall': EXECUTOR,
  'overhead.executor.cpu': EXECUTOR,
  'latency.median': LATENCY,
  'latency.p99': LATENCY,
  'throughput.sweeper':
    'A near miss. A run also maintains schedules, batches, error groups and suspended jobs, and writes its cursor and heartbeat: some twenty requests, whatever the size of Jobs. Its filter also selects more than expired leases (rows with an unreadable lease, jobs that wait long), and the emulator evaluates the filter on the same two cores. The twenty requests are a fixed cost, which matters less in a larger table. The filter costs no read units in AWS.',
  'peers.pg-boss.rate':
    'Each Nightcrew job makes two signed HTTP requests, a claim and a completion, and the SDK, signing and sockets use most of the CPU of the worker. pg-boss takes and finishes ten jobs in one SQL statement over an open connection. In one process, the SDK alone is slower than pg-boss, even without any code of Nightcrew. In exchange, the store needs no server, and hundreds of executors run in parallel.',
  'scale.timers-warm.hottestWrite': TIMERS_KEY,
  'scale.timers-fresh.hottestWrite': TIMERS_KEY,
  'scale.backlog.growth.writeUnits': BACKLOG,
  'scale.backlog.growth.dollars': BACKLOG,
};
