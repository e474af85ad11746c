import type { RetryStrategy } from '../../../../shared/adapters/aws/retry-strategy.ts';
import { ANSWER_MS } from '../../../../shared/job/lease.ts';
import { dynamoRetries } from '../../../../shared/adapters/dynamodb/client.ts';
import { BatchSupport } from '../../../../shared/adapters/dynamodb/batch-support.ts';
import { defined } from '../../../../shared/job/defined.ts';
import { createDynamoTables } from '../../../../shared/adapters/dynamodb/tables.ts';
import type { Row, TableName, Tables, Write, WriteWindow } from '../../../../shared/ports/tables.ts';
import type { SimProcess } from '../world/sim-process.ts';
import { simTables } from '../world/sim-tables.ts';
import { AnswerInvariants, type CallTerms } from './answer-invariants.ts';
import { ProcessWire, type WiredWorld } from './process-wire.ts';
import { PendingWrites } from './pending-writes.ts';
import { onBehalfOf, type Sender, sharedClients } from './shared-clients.ts';
import { WIRE_NAMES } from './wire-tables.ts';

/** One read of so many goes over the wire: a call of the SDK costs six times what a simulated request does, and most only look. */
const READS = 8;

/** The tables as one process sees them through the real adapter and the real client, over a wire that goes wrong. `openWire` comes first. */
export function processTables(world: WiredWorld, process: SimProcess): Tables {
  const simulated = simTables(world, process);
  const wire = new ProcessWire(world, process);
  const retries = dynamoRetries(process);
  const deadlineAt = (): number | undefined => (Number.isFinite(process.deadlineAt) ? process.deadlineAt - ANSWER_MS : undefined);
  const pending = new PendingWrites();
  const together: Sender = { retries, carry: (request, terms) => wire.carryBatch(request, terms, pending) };
  const afterTurn = (run: () => void): void => process.deliver(0, () => void onBehalfOf(together, async () => run()));
  const batches = world.wire.ofStatements === undefined ? undefined : new BatchSupport({ afterTurn });
  const tables = createDynamoTables({
    client: sharedClients().dynamo,
    names: WIRE_NAMES,
    clock: process.clock,
    entropy: process.entropy,
    deadlineAt,
    ...defined({ batches }),
  });
  const port = { wire, retries, process, deadlineAt, untrue: world.wire.untrue };
  const read = <Answer>(look: (through: Tables) => Promise<Answer>): Promise<Answer> =>
    world.wire.faults.between(1, READS) === 1 ? asked(port, { op: 'read', writes: [] }, () => look(tables)) : look(simulated);
  return {
    get: (table, key) => read((through) => through.get(table, key)),
    query: (query) => read((through) => through.query(query)),
    scan: (scan) => read((through) => through.scan(scan)),
    write: (write, window) =>
      asked(port, { op: 'write', writes: [write], ...window }, async (invariants) => {
        const answered = pending.add(write, invariants);
        const outcome = await tables.write(write, window).finally(answered);
        invariants.write(outcome);
        return outcome;
      }),
    transact: (writes, token, terms) =>
      asked(port, { op: 'transact', writes, ...terms }, async (invariants) => {
        const outcome = await tables.transact(writes, token, terms);
        invariants.transact(outcome);
        if (!outcome.applied && outcome.reasons.some(({ code }) => code === 'conflict')) process.gaveUp(writes);
        return outcome;
      }),
    putAll: (table, rows, window) =>
      asked(port, { op: 'putAll', writes: putsOf(table, rows), ...window }, async (invariants) => {
        const left = await tables.putAll(table, rows, window);
        invariants.putAll(rows, left);
        if (left.length > 0) process.gaveUp(putsOf(table, left));
        return left;
      }),
  };
}

interface Port {
  readonly wire: ProcessWire;
  readonly retries: RetryStrategy;
  readonly process: SimProcess;
  readonly deadlineAt: () => number | undefined;
  readonly untrue: (what: string) => void;
}

/** One call of the port, held against what becomes of its attempts. */
async function asked<Answer>(
  { wire, retries, process, deadlineAt, untrue }: Port,
  { op, writes, notAfter }: Pick<CallTerms, 'op'> & { readonly writes: readonly Write[] } & WriteWindow,
  work: (invariants: AnswerInvariants) => Promise<Answer>,
): Promise<Answer> {
  const invariants = new AnswerInvariants(process, { op, notAfter, deadlineAt }, untrue);
  const sentFor = { unfenced: notAfter !== undefined, invariants };
  try {
    return await onBehalfOf({ retries, carry: (request, terms) => wire.carry(request, terms, sentFor) }, () => work(invariants));
  } catch (error) {
    invariants.failed(error);
    process.gaveUp(writes);
    throw error;
  } finally {
    invariants.ended();
  }
}

const putsOf = (table: TableName, rows: readonly Row[]): readonly Write[] => rows.map((row) => ({ op: 'put', table, row }));
