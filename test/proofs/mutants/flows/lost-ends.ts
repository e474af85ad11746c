import type { JobClient } from '../../../../shared/client/job-client.ts';
import type { Write } from '../../../../shared/ports/tables.ts';
import { ScriptedWorld } from '../../exhaustive/scripted-world.ts';
import type { Violation } from '../../simulation/check/violations.ts';
import type { StoreFault } from '../../simulation/faults/fault-plan.ts';
import type { WorkItem } from '../../simulation/workload/work-item-jobs.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

interface Ending {
  readonly workItem: Partial<WorkItem>;
  /** The write among those that end the job whose reply is lost, and the fault. */
  readonly loses: (writes: readonly Write[]) => boolean;
  readonly fault: StoreFault;
  readonly cancelled: boolean;
  readonly before?: (stage: ScriptedWorld) => Promise<unknown>;
}

const deletesJob = (write: Write): boolean => write.op === 'delete' && write.table === 'jobs';
const asCancelled = (writes: readonly Write[]): boolean =>
  writes.some((write) => deletesJob(write) && 'condition' in write && write.condition?.test === 'equals');
const withoutKeyed = (writes: readonly Write[]): boolean =>
  writes.some(deletesJob) && writes.some(({ op, table }) => op === 'put' && table === 'jobs') && !writes.some(isKey);
const isKey = (write: Write): boolean => write.op === 'put' && write.table === 'control' && String(write.row['pk']).startsWith('key#');
const holdKey = async (stage: ScriptedWorld): Promise<unknown> => stage.enqueue('usual', {}, { key: 'key-1', delay: HOUR });

const joining: Partial<WorkItem> = { kind: 'joining', generations: 1, workMs: 2 * SECOND };
const ENDINGS: readonly Ending[] = [
  { workItem: { workMs: 2 * SECOND }, loses: asCancelled, fault: 'lost-reply', cancelled: true },
  { workItem: { workMs: 2 * SECOND }, loses: asCancelled, fault: 'lost-for-good', cancelled: true },
  { workItem: joining, loses: asCancelled, fault: 'lost-for-good', cancelled: true },
  { workItem: { kind: 'flaky', times: 1, workMs: 2 * SECOND }, loses: asCancelled, fault: 'lost-for-good', cancelled: true },
  { workItem: { ...joining, times: 1 }, loses: withoutKeyed, fault: 'lost-for-good', cancelled: false, before: holdKey },
];

/** Runs that end, as cancelled or without a follow-up whose key is taken, by a write whose reply is lost. */
export async function lostEnds(): Promise<readonly Violation[]> {
  const broken: Violation[] = [];
  for (const ending of ENDINGS) broken.push(...(await play(ending)));
  return broken;
}

async function play({ workItem, loses, fault, cancelled, before }: Ending): Promise<readonly Violation[]> {
  let left = 1;
  const stage = new ScriptedWorld({
    settings: { executorTimeoutMs: 30_000, sweepSegments: 1 },
    chaos: () => ({
      faultOf: ({ role }, { writes }) => (role === 'executor' && left > 0 && loses(writes) ? (left--, fault) : undefined),
      latency: () => 2,
      pauseMs: () => 0,
      lateMs: () => 0,
    }),
  });
  await before?.(stage);
  const id = String(await stage.enqueue('usual', workItem));
  await stage.until(() => stage.count('running') > 0);
  await stage.pass(SECOND);
  const ask = async (client: JobClient): Promise<void> => stage.world.checks.told.cancel(id, await client.cancel(id));
  if (cancelled) await stage.asClient(ask);
  await stage.close();
  if (left > 0) throw new Error(`The reply of ${JSON.stringify(workItem)} was never lost.`);
  return stage.world.checks.violations.list;
}
