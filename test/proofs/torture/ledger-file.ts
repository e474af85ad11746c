import { closeSync, existsSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { JobInfo } from '../../../shared/job/job-info.ts';

/** One line of a ledger. Instants are epoch milliseconds. */
export type LedgerLine =
  | {
      readonly what: 'start';
      readonly id: string;
      readonly type: string;
      readonly attempt: number;
      readonly dueAt: number;
      readonly at: number;
      readonly group?: string;
    }
  | { readonly what: 'end'; readonly id: string; readonly attempt: number; readonly at: number }
  /** The executor was told by the store that the job is completed. */
  | { readonly what: 'completed'; readonly id: string; readonly at: number }
  /** An outcome was not taken: the job was not the executor's any more, or its own time was over. */
  | { readonly what: 'refused'; readonly id: string; readonly at: number };

const fileOf = (folder: string, pid: number): string => join(folder, `${pid}.ledger`);
const repairedFile = (folder: string, id: string): string => join(folder, `${id}.repaired`);

/** The ledger of this process: appended and written through at each line, so that a kill takes nothing away. */
export function openLedger(folder: string): (line: LedgerLine) => void {
  const file = openSync(fileOf(folder, process.pid), 'a');
  return (line) => void writeSync(file, `${JSON.stringify(line)}\n`);
}

/** The line that a run begins with. */
export function startLine(job: JobInfo, at: number): LedgerLine {
  const { id, type, attempt, dueAt, group } = job;
  return { what: 'start', id, type, attempt, dueAt: dueAt.getTime(), at, ...(group === undefined ? {} : { group }) };
}

/** Lines of one process, in order; none when it wrote nothing. A last line that a kill cut short is left out. */
export function readLedger(folder: string, pid: number): readonly LedgerLine[] {
  const path = fileOf(folder, pid);
  if (!existsSync(path)) return [];
  const whole = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return whole.map((line) => JSON.parse(line) as LedgerLine);
}

/** Lines of all processes. */
export function readLedgers(folder: string): ReadonlyMap<number, readonly LedgerLine[]> {
  const pids = readdirSync(folder).flatMap((name) => (name.endsWith('.ledger') ? [Number.parseInt(name, 10)] : []));
  return new Map(pids.map((pid) => [pid, readLedger(folder, pid)]));
}

/** Fixes what a `repaired` job fails at. */
export function fix(folder: string, id: string): void {
  closeSync(openSync(repairedFile(folder, id), 'a'));
}

/** Whether it was repaired. */
export function isMended(folder: string, id: string): boolean {
  return existsSync(repairedFile(folder, id));
}
