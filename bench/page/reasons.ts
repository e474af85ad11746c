const OWN_WORK =
  'A part of the difference is code of Nightcrew (see the profile below): decoding and checking claims, a time limit, a cancel watch and a session for each attempt, rules of operators, metrics and statistics. The rest is work that this causes in the SDK and Node: a deadline on each call, more names in each condition.';

const EXECUTOR = `These figures come from a store that takes no claims in batches, so each claim is a request on both sides. ${OWN_WORK} For claims in batches, as on AWS, see the figures "in batches".`;

const BATCHED =
  'The bare loop checks nothing. In the profile of the executor below, its own code (nightcrew/...) and Powertools, middy and console output have no counterpart in the loop: decoding and checking rows, a session and a time limit for each attempt, rules of operators, metrics and statistics. The SDK also serializes larger statements: they carry the conditions that tell a lost reply from a lost race, and ask for the row that refused a write.';

const BATCHED_SINGLE =
  'In full batches of ten, the SDK, sockets and signatures have a tenth of the requests. The code of Nightcrew, in the profile of the executor below, is done for each job as before: decoding and checking rows, a session and a time limit for each attempt, rules of operators, metrics and statistics.';

const LATENCY =
  'A stored job needs two round trips to the store that a bare hop does not need: the put before the send, and the claim before the handler. Without either, or with the two overlapped, an accepted job could be lost or run twice at once. The table also has a hand-written put, send and claim. With median latencies that others measured in AWS (16 ms for a hop, 7.6 ms for a write), two writes and a hop take almost twice as long as a hop.';

const TIMERS_KEY =
  'An acquirer plans with 800 of the 1,000 write units of a shard in a second, but a throttled transaction is repeated in a later second together with the transactions of that second. The key then reaches its limit for that second and throttles a few requests.';

const RECORDED =
  'The emulators run on this machine, so much of the time from enqueue to start is CPU. Ours does more of it than a hand-written put, send and claim: it validates the payload, builds and checks the row, and opens a session for the attempt.';

const LEAN =
  'Beside the two clients, the bundle of the executor has its own code, zod/mini and the handlers of the order service, middy, and Powertools for logs and metrics, and all of it is loaded at the import.';

const PEERS =
  'The embedded store takes no claims in batches (decision 41): each job costs a signed HTTP request for its claim and a share of one for its completion. pg-boss takes ten jobs with one SQL statement and finishes them with another, over an open connection. On AWS ten claims share a request as well: the figures "in batches" of the bench overhead show what that saves.';

const BULK =
  'Jobs are put 25 at a time and their messages sent ten at a time, several requests at once, to emulators that share the cores with the producer. The figure throughput.enqueueMany compares it with a bare loop of the same batches.';

/**
 * Why each target was missed, by the id of the measurement; not shown where it is met. A test fails if a missed target of the last full run has
 * no reason here, and a run of all benches if a reason belongs to nothing that has a target.
 */
export const REASONS: Readonly<Record<string, string>> = {
  'overhead.job.wall': EXECUTOR,
  'overhead.job.cpu': EXECUTOR,
  'overhead.executor.wall': EXECUTOR,
  'overhead.executor.cpu': EXECUTOR,
  'latency.median': LATENCY,
  'latency.p99': LATENCY,
  'overhead.batched.byHand.cpu': BATCHED,
  'overhead.batched.handWritten.cpu': BATCHED_SINGLE,
  'overhead.batchingOff.cpu': `Each claim and each completion is a request, on both sides. ${OWN_WORK}`,
  'latency.recorded.median': RECORDED,
  'latency.recorded.p99': RECORDED,
  'throughput.sweeper':
    'A run also looks at schedules, batches, error groups and suspended jobs, reads its cursors and writes its heartbeat: about a dozen requests beside the scan, which matter less in a larger table. Its filter also selects more than expired leases (rows with an unreadable lease, jobs that wait long), and the emulator evaluates the filter on the same cores. In AWS a filter costs no read units of its own.',
  'cold-start.executor.initOverLean': LEAN,
  'peers.nightcrew.rate': PEERS,
  'peers.nightcrew.workerCpu': PEERS,
  'peers.pg-boss.rate': PEERS,
  'peers.nightcrew.enqueueRate': BULK,
  'peers.pg-boss.enqueueRate': BULK,
  'scale.timers-fresh.growth.drain':
    'One job waited for its lease to end, because the tables throttled every try to record its end and every try to give it back. "late, p95" shows how the others fared.',
  'scale.timers-warm.hottestWrite': TIMERS_KEY,
  'scale.timers-fresh.hottestWrite': TIMERS_KEY,
};
