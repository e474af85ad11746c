import type { SettingName } from '../../shared/config/settings.ts';
import type { HandledJob } from '../../shared/job/job-type.ts';
import { createMemoryTables } from '../../shared/adapters/memory/tables.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';
import type { Tables } from '../../shared/ports/tables.ts';
import { Rig } from '../../test/support/rig.ts';
import { DYNAMO, SQS } from '../scale/model/aws-limits.ts';

/** The settings that are varied. */
export interface Turned {
  readonly handlers: readonly HandledJob[];
  readonly history?: 'off' | 'outcome' | 'durable';
  readonly settings?: Partial<Record<SettingName, number>>;
}

/** How many executors take how many messages at a time. */
export interface Load {
  readonly executors: number;
  readonly batchSize: number;
}

/** Waits on this machine's clock. */
export const pass = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The production code over tables and queues in memory whose every request takes as long as its median in AWS. */
export function slowRig({ handlers, history = 'off', settings = {} }: Turned): Rig {
  const clock = new SettableClock();
  const rig = new Rig({ handlers, history, settings, clock, tables: slowed(createMemoryTables({ clock })) });
  const send = rig.hints.send.bind(rig.hints);
  rig.hints.send = async (hints) => (await pass(SQS.sendMs.p50), send(hints));
  return rig;
}

/** Runs all visible messages, like an event source with this many pollers; returns the milliseconds from its start to the last job's end. */
export async function drain(rig: Rig, { executors, batchSize }: Load): Promise<number> {
  const startedAt = performance.now();
  const poll = async (): Promise<void> => {
    for (;;) {
      await pass(SQS.hopMs.p50);
      const messages = rig.queues.flatMap((queue) => rig.hints.receive(queue, batchSize));
      if (messages.length === 0) return;
      await rig.execute(messages);
    }
  };
  await Promise.all(Array.from({ length: executors }, poll));
  const left = (await rig.counts()).jobs;
  if (left > 0) throw new Error(`${left} jobs did not end.`);
  return performance.now() - startedAt;
}

function slowed(inner: Tables): Tables {
  return {
    get: async (table, key) => (await pass(DYNAMO.getMs.p50), inner.get(table, key)),
    write: async (write, window) => (await pass(DYNAMO.writeMs.p50), inner.write(write, window)),
    transact: async (writes, token, terms) => (
      await pass(DYNAMO.transactMs.p50 + writes.length * DYNAMO.transactMsPerAction),
      inner.transact(writes, token, terms)
    ),
    putAll: async (table, rows, window) => (await pass(DYNAMO.batchMs.p50), inner.putAll(table, rows, window)),
    query: async (query) => (await pass(DYNAMO.queryMs.p50), inner.query(query)),
    scan: async (scan) => (await pass(DYNAMO.queryMs.p50), inner.scan(scan)),
  };
}
