/** A line of docs/reference/reliability.md: a promise, how it is tested, and the proofs whose figures it shows. */
export interface Promised {
  readonly promise: string;
  readonly how: string;
  readonly proofs: readonly string[];
  /** What takes too long for a change to have to pass it: shown if a run of it is recorded. */
  readonly longer?: readonly string[];
}

/** The promises of docs/reference/guarantees.md, and how each is tested. */
export const PROMISES: readonly Promised[] = [
  {
    promise: 'Nothing accepted is lost',
    how: 'The simulation runs whole deployments from seeds, each with its own mix of faults, and looks for every accepted id at the end. In flows of their own, each fault that can strike at each await, and pairs of faults that begin with drawn ones. Real processes are killed and frozen at random, then audited.',
    proofs: ['simulation', 'exhaustive', 'torture'],
  },
  {
    promise: 'A job completes once; a stale owner changes nothing',
    how: 'The simulation checks each write of a job: the transition table, the live lease and its holder, `rev`, one table at a time, and that no finished job returns but an occurrence that was left out. The orders in which the requests of two verbs can reach one job, up to a bound for each walk, without faults and with each single one, for a growing part of all pairs ([orders](#orders)); the same with double faults and for three verbs, drawn at random.',
    proofs: ['simulation', 'exhaustive', 'orders', 'orders-strength-1', 'torture'],
    longer: ['orders-strength-2', 'orders-strength-3', 'orders-strength-4'],
  },
  {
    promise: 'A job never runs twice at once, nor do two jobs of a group',
    how: 'The simulation compares the runs of handlers, in functions and in workers outside Lambda; for real processes, their intervals on the wall clock are compared. If clocks or deadlines break the assumptions, overlaps appear, but nothing completes twice.',
    proofs: ['simulation', 'torture'],
  },
  {
    promise: 'Limits, suspensions, lanes, batches and cancels work as documented',
    how: 'Each has its own workload and rules in the simulated deployments. They check slots and running handlers against every limit, starts against suspensions of everything, a type, a group or a tenant, each child against the counters of its batch, each callback, each answer to a cancel, and each answer to an operator whose verb races with another one. Deliberate bugs break such rules, and each must be caught.',
    proofs: ['simulation', 'orders', 'mutants'],
  },
  {
    promise: 'The tests can fail',
    how: 'Deliberate bugs in the fences, the order of writes and the counters, one at a time; each must be caught. Generated edits of the syntax tree, drawn from a fresh base: a fast test catches each, or one line explains why it is harmless; `npm run mutants -- --generated --all` judges every one. Mutation testing of files of the pure core, with each survivor explained.',
    proofs: ['mutants', 'generated-mutants', 'mutation-core'],
    longer: ['generated-mutants-all'],
  },
  {
    promise: 'The in-memory store answers as DynamoDB does',
    how: 'Random operations on it and on two emulators of DynamoDB, with results, errors, reasons and snapshots compared and differences shrunk. Tests of flows and races run on all three (on DynamoDB Local a part of them in each run), and all three pass the published contract suite.',
    proofs: ['flows-on-dynamo', 'differential-dynoxide', 'differential-dynamodb-local', 'dynamodb-local'],
  },
  {
    promise: 'Lost replies, throttling, conflicts and hung connections lose nothing',
    how: "The fault kit of `nightcrew/testing` under the real AWS SDK: the fenced verbs recognise a lost reply, a hung connection ends with the call's time limit, and a batch that fails in part loses nothing.",
    proofs: ['fault-kit', 'black-hole'],
  },
  {
    promise: 'Outages and overload cost a bounded number of requests',
    how: 'Named scenarios in the simulated world: three hours without AWS, three hours at ten times the load, a thousand jobs of one group, two thousand timers at one instant. In each seed a dispatch sends one message, and one more each time that it is forwarded.',
    proofs: ['scenarios', 'scenario-outage', 'scenario-overload', 'scenario-one-group', 'scenario-midnight'],
  },
  {
    promise: 'Hostile input does no harm',
    how: 'Fuzzing of payloads, options, rows, messages, durations, environments, and what the example takes (arguments, events, HTTP bodies): only typed errors occur, no prototype changes, no unregistered handler is called, nothing hangs.',
    proofs: ['fuzz'],
  },
  {
    promise: 'The console displays hostile texts without executing them',
    how: 'In a real browser: over a hundred injection attempts in the fields that users fill, on the pages that show them, watching the page and its content security policy; each action through its button; axe at two widths. Over HTTP: more than a thousand combinations of Host, Origin, Sec-Fetch headers, method, type and cookie, compared with an independent rule.',
    proofs: ['console'],
  },
  {
    promise: 'A schedule runs at the right local time',
    how: 'The occurrences of six expressions over twenty years in fifty time zones, three of these years in each gate, compared with a second implementation, and those of five around each clock change with a minute-by-minute walk, under every policy for skipped and repeated times. Rare expressions, drawn from a fresh seed, are compared with a walk over 400 days.',
    proofs: ['schedules'],
  },
  {
    promise: 'It deploys and runs',
    how: 'The local region with each function in its own process. The package as npm installs it, on the oldest supported Node and TypeScript. The tables, queues and rules of the synthesized template on LocalStack, and `cdk deploy` of the example on MiniStack, used through its public API and destroyed again. cfn-lint and checkov on the templates of the example and of a stack with every option; each accepted finding has a reason, and planted faults are found.',
    proofs: ['processes', 'packed-package', 'templates', 'localstack', 'ministack'],
  },
];
