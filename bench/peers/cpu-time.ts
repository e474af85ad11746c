import { readdirSync, readFileSync } from 'node:fs';

/** The CPU times in /proc/<pid>/stat. */
export interface ProcessTimes {
  readonly pid: number;
  readonly parent: number;
  /** Clock ticks of the process itself. */
  readonly own: number;
  /** Clock ticks of its children that have ended and were waited for. */
  readonly ended: number;
}

/** Linux shows processor time in hundredths of a second on every platform that Node runs on. */
const TICKS_PER_SECOND = 100;
const FIELDS_AFTER_NAME = { parent: 1, user: 11, system: 12, endedUser: 13, endedSystem: 14 } as const;

/** Reads one line of /proc/<pid>/stat; the name in brackets may itself hold blanks and brackets. */
export function processTimes(line: string): ProcessTimes {
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const field = (name: keyof typeof FIELDS_AFTER_NAME): number => Number(fields[FIELDS_AFTER_NAME[name]]);
  return {
    pid: Number.parseInt(line, 10),
    parent: field('parent'),
    own: field('user') + field('system'),
    ended: field('endedUser') + field('endedSystem'),
  };
}

/** Processor seconds that the trees under these processes have used, children that ended included. */
export function cpuSecondsOf(roots: readonly number[], all: readonly ProcessTimes[]): number {
  const children = Map.groupBy(all, ({ parent }) => parent);
  const ticks = (one: ProcessTimes): number =>
    one.own + one.ended + (children.get(one.pid) ?? []).reduce((sum, child) => sum + ticks(child), 0);
  return all.filter(({ pid }) => roots.includes(pid)).reduce((sum, one) => sum + ticks(one), 0) / TICKS_PER_SECOND;
}

/** Every process of this machine, from Linux's /proc. */
export function allProcessTimes(): readonly ProcessTimes[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return [processTimes(readFileSync(`/proc/${name}/stat`, 'utf8'))];
    } catch {
      // It ended between the two reads.
      return [];
    }
  });
}
