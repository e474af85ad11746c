const EXECUTOR =
  'About half of the difference is our own code (the profile below: claims decoded and checked, a time limit, a cancel watch and a session for each attempt, rules of operators, metrics and statistics), the other half the SDK and Node under what these ask for: a deadline on each call, more names in each condition. No single function of ours is above 2 %. What could be left out is: a completion does not ask for the old row, and nothing is made for a failure that does not happen. What is left is what the hand-written handler does not do.';

const LATENCY =
  'A job that is kept needs two round trips to the store that a bare hop has not: its put before the send, its claim before the handler. Neither can be left out or overlapped without losing the promise that nothing accepted is lost or run by two at once. Put, send and claim by hand miss the target as well, as the lines beside it show. With the median latencies that others measured in AWS (a hop of 16 ms, a write of 7.6 ms) two writes and a hop are 1.9 times a hop.';

const TIMERS_KEY =
  'An acquirer takes 800 of the 1,000 write units of a shard in a second, but a transaction that the table throttled is sent again beside those of a later second. The key then stands at its limit for that second; a request or two are throttled by it, and none is lost.';

const BACKLOG =
  'At the default read units a pass over five million rows takes longer than the hour for which messages explain a wait, so from then on the sweeper sends again what it sees, lost or not; a tenth of the rows is passed within the hour and costs nothing, so the growth has no meaning but that. It is a bound on how long a lost message can stay hidden, not on the queue: a doubled message costs a failed write. Whoever keeps millions of jobs waiting for more than an hour raises sweepReadUnits (backlog-fast).';

/**
 * Why a target is missed, in sentences, with what the profile shows; by the id of the measurement. A test fails when a missed target of the
 * last full run has no reason here, and when a reason is for one that is met.
 */
export const REASONS: Readonly<Record<string, string>> = {
  'overhead.job.wall': EXECUTOR,
  'overhead.job.cpu': EXECUTOR,
  'overhead.executor.wall': EXECUTOR,
  'overhead.executor.cpu': EXECUTOR,
  'latency.median': LATENCY,
  'latency.p99': LATENCY,
  'throughput.sweeper':
    'A near miss. A run also looks after schedules, batches, error groups and suspended jobs and keeps its cursor and heartbeat: some twenty requests, whatever Jobs holds. And its filter asks for more than leases that ran out (rows whose lease cannot be read, jobs that wait long), which the emulator evaluates on the same two cores. The first is a fixed part of a run over ten thousand rows and thins out in a larger table; a filter costs no read units in AWS.',
  'peers.pg-boss.rate':
    'Each of our jobs is two signed HTTP requests of its own, a claim and a completion, and the SDK, signing and sockets take most of the worker; pg-boss takes and finishes ten jobs in one SQL statement over an open connection. Without any code of ours the SDK alone would leave us behind on one process. What we have instead is a store without a server, and executors by the hundred.',
  'scale.timers-warm.hottestWrite': TIMERS_KEY,
  'scale.timers-fresh.hottestWrite': TIMERS_KEY,
  'scale.backlog.growth.writeUnits': BACKLOG,
  'scale.backlog.growth.dollars': BACKLOG,
};
