// A deployment in memory, for unit tests of handlers and producers.
export { createTestKit, type TestKit } from './kit/create-test-kit.ts';
export type { EnqueuedJob, KeptDeadLetter } from './kit/kept-jobs.ts';
export type { KitClient } from './kit/kit-client.ts';
export type { KitWorkerOptions, TestKitOptions } from './kit/kit-options.ts';
export type { DrainSummary, JobRun, RunOutcome } from './kit/kit-runs.ts';

// Building blocks for your own tests: the ports in memory, a settable clock, reproducible randomness.
export { createMemoryHintSource } from '../shared/adapters/memory/hint-source.ts';
export { createMemoryHints, type MemoryHints } from '../shared/adapters/memory/hints.ts';
export { seededEntropy } from '../shared/adapters/memory/seeded-entropy.ts';
export { SettableClock } from '../shared/adapters/memory/settable-clock.ts';
export { createMemoryPayloads, type MemoryPayloads } from '../shared/adapters/memory/payloads.ts';
export { createMemoryTables, type MemoryTables } from '../shared/adapters/memory/tables.ts';

// The ports and the contract that a store or queue of one's own must pass.
export type { ContractCheck, HintsSubject, SourceSubject, TablesSubject } from './contract/contract.ts';
export { hintsContract } from './contract/hints-contract.ts';
export { HINTS_CONTRACT_WORKERS } from './contract/hints-parts.ts';
export { payloadsContract, type PayloadsSubject } from './contract/payloads-contract.ts';
export { sourceContract } from './contract/source-contract.ts';
export { tablesContract } from './contract/tables-contract.ts';
export { encodeHint, type Hint } from '../shared/job/hint.ts';
export { type HintRoute, routeHint, type RouteQueues } from '../shared/job/hint-route.ts';
export type { Scalar } from '../shared/job/job.ts';
export type { Clock } from '../shared/ports/clock.ts';
export type { Entropy } from '../shared/ports/entropy.ts';
export type { KeptPayload, PayloadRef, PayloadStore } from '../shared/ports/payload-store.ts';
export type { Backlog, HintSender, Inbox, QueueRef, ReceivedHint } from '../shared/ports/hints.ts';
export { type IndexSpec, type KeySpec, TABLE_SPECS, type TableSpec } from '../shared/ports/table-spec.ts';
export type {
  CancelReason,
  Condition,
  Page,
  Query,
  Row,
  RowKey,
  Scan,
  SingleWrite,
  TableName,
  Tables,
  TransactOutcome,
  Write,
  WriteOutcome,
  WriteWindow,
} from '../shared/ports/tables.ts';

// Faults as AWS and the network have them, under SDK clients.
export { aimAt, type FaultAim } from './faults/aim.ts';
export { createFaults, type Faults, type FaultsOptions, type UnderOptions } from './faults/create-faults.ts';
export type { Fault, FaultDetails, FaultName, FaultyCall } from './faults/fault.ts';
export type { InjectedFault } from './faults/fault-plan.ts';
export { skewedClock } from './faults/skewed-clock.ts';
export type { FaultyClient } from './faults/smithy-client.ts';
