// What an adapter of one's own is written with: the ports, the layout of the tables, and the checks that every store must make.
export type { OwnPorts } from '../../ports/own-ports.ts';
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
  TransactTerms,
  Write,
  WriteOutcome,
  WriteWindow,
} from '../../ports/tables.ts';
export type { HintSource, ReceiveTerms } from '../../ports/hint-source.ts';
export type { Backlog, HintSender, Inbox, QueueRef, ReceivedHint } from '../../ports/hints.ts';
export type { Scalar } from '../../job/job.ts';
export { type IndexSpec, type KeySpec, keyOf, TABLE_NAMES, TABLE_SPECS, type TableSpec } from '../../ports/table-spec.ts';
export { StoreRefusedError, StoreUnavailableError } from '../../job/errors.ts';

// Refusals as strict as DynamoDB's; each throws StoreRefusedError.
export { checkExactKey, checkTransaction, checkTransactionBytes, checkWrite, refusalOfRows } from '../memory/write-checks.ts';
export { checkQuery, checkScan } from '../memory/read-checks.ts';

// Whether a condition holds, the batches of `putAll`, and the read units that budgets of operators count in.
export { conditionHolds } from '../memory/condition.ts';
export { readUnits } from '../memory/row-size.ts';
export { batchesOf } from '../../ports/put-batches.ts';

// The body of a message, and the queue that it goes to.
export { encodeHint, type Hint } from '../../job/hint.ts';
export { type HintRoute, routeHint, type RouteQueues } from '../../job/hint-route.ts';
