/** A line of docs/reference/reliability.md: what is promised, how it is tested, and which proofs' figures stand for it. */
export interface Promised {
  readonly promise: string;
  readonly how: string;
  readonly proofs: readonly string[];
}

/** What docs/reference/guarantees.md promises, and what makes each promise more than a sentence. */
export const PROMISES: readonly Promised[] = [
  {
    promise: 'Nothing accepted is lost',
    how: 'Whole deployments simulated from seeds, each with another mixture of faults; every id that was accepted is looked for in the end. Every single fault and pair of faults at every await. Real processes killed and frozen at random, then audited.',
    proofs: ['simulation', 'exhaustive', 'torture'],
  },
  {
    promise: 'A job completes once; a stale owner changes nothing',
    how: 'Every mutation of the store is judged: the transition table, the lease that lived, who held it, `rev`, one place at a time, nothing back from the end. All orders in which the requests of two or three verbs can reach one job, over pairs of verbs that are drawn.',
    proofs: ['simulation', 'exhaustive', 'orders', 'torture'],
  },
  {
    promise: 'A job and a group never run twice at a time',
    how: 'Runs of handlers are held against each other inside the simulation, and as intervals on the wall clock in real processes. With clocks or deadlines beyond the assumptions overlaps appear, and nothing completes twice.',
    proofs: ['simulation', 'torture'],
  },
  {
    promise: 'Limits, suspensions, lanes, batches and cancels keep their word',
    how: 'Each has its workload and its rules in the simulated deployments: slots and running handlers beside every limit, starts beside every suspension, each child beside the counters of its batch, each callback, each answer to a cancel, and each answer to an operator whose verb meets another one. Each rule is shown to fail by a deliberate bug.',
    proofs: ['simulation', 'orders', 'mutants'],
  },
  {
    promise: 'The tests can fail',
    how: 'Deliberate bugs in the fences, the order of writes and the counters, one at a time; each must be caught. Mutation testing of the pure core, survivors explained one by one.',
    proofs: ['mutants', 'mutation-core'],
  },
  {
    promise: 'The store in memory answers as DynamoDB',
    how: 'Random operations against both, shrunk when they differ: results, errors, reasons, snapshots; every operation and every reason hit. All flows and races run on both, a share of those on DynamoDB each time. The contract suite that others can run is the one we run.',
    proofs: ['flows-on-dynamo', 'differential-dynoxide', 'differential-dynamodb-local', 'dynamodb-local'],
  },
  {
    promise: 'Lost replies, throttles, conflicts, black holes are survived',
    how: "The fault kit of `nightcrew/testing` under the real AWS SDK: a lost reply is recognised by every fenced verb, a hung connection ends within the call's bound, a batch that fails in part loses nothing.",
    proofs: ['fault-kit', 'black-hole'],
  },
  {
    promise: 'Trouble costs what it must, and no more',
    how: 'Named scenarios on the simulated world: three hours without AWS, six hours of ten times the load, a thousand jobs of one group, two thousand timers at one instant. Sends and rescues are held against what explains them in every seed.',
    proofs: ['scenarios', 'scenario-outage', 'scenario-overload', 'scenario-one-group', 'scenario-midnight'],
  },
  {
    promise: 'Hostile input stops nobody',
    how: 'Fuzzing of payloads, options, rows, messages, durations, environments and HTTP bodies: typed errors only, no prototype changed, no handler called that was not registered, nothing hangs.',
    proofs: ['fuzz'],
  },
  {
    promise: 'The console shows hostile texts and runs none of them',
    how: 'In a real browser: over a hundred attempts to become markup in every field that a user fills, on every page, with the policy and the page itself watched; each action by its button; axe at two widths, dark and light. Over HTTP: more than a thousand combinations of Host, Origin, Sec-Fetch headers, method, type and cookie beside an independent rule.',
    proofs: ['console'],
  },
  {
    promise: 'A schedule comes when its clock says',
    how: 'Every occurrence of twenty years in fifty time zones beside a second implementation, and around each change of the clocks beside a walk minute by minute, under every policy for skipped and doubled times; from there expressions that seldom come, drawn from a fresh seed, beside a walk over 400 days.',
    proofs: ['schedules'],
  },
  {
    promise: 'It runs where it is deployed',
    how: 'The local region with its functions in processes of their own. The package as npm installs it, on the oldest Node and TypeScript that it supports. The synthesized templates on LocalStack with rules that tick, and `cdk deploy` of the example on MiniStack, used through its public face and destroyed again.',
    proofs: ['processes', 'packed-package', 'localstack', 'ministack'],
  },
];
