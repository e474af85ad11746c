import type { FunctionError } from '../../../local/function-runtime.ts';
import { recordFailure, recordFigures } from '../../support/figures.ts';
import { endsOf, type Evidence, RULES, type Violation } from './audit.ts';
import type { Blackouts } from './blackouts.ts';
import type { Chaos } from './chaos.ts';
import { readLedgers } from './ledger-file.ts';
import type { TortureOptions } from './torture-options.ts';
import type { Traffic } from './traffic.ts';

/** Failed invocations by kind. */
export type Trouble = Record<FunctionError['kind'], number>;

/** All that a report tells of. */
export interface Tortured {
  readonly options: TortureOptions;
  readonly folder: string;
  readonly evidence: Evidence;
  readonly violations: readonly Violation[];
  readonly traffic: Traffic;
  readonly chaos: Chaos;
  readonly blackouts: Blackouts;
  readonly trouble: Trouble;
  readonly drainMs: number;
  readonly ms: number;
}

const SHOWN_IDS = 10;

/** Prints what happened, keeps the figures of a run without violations, and gives back whether it was one. */
export function report(tortured: Tortured): boolean {
  const { options, violations } = tortured;
  const figures = figuresOf(tortured);
  if (violations.length === 0) recordFigures('torture', figures, options.base);
  else process.stdout.write(`torture: ${inWords(figures)}\n`);
  for (const violation of violations) describe(tortured, violation);
  if (violations.length > 0) {
    recordFailure('torture', options.base);
    process.stdout.write(`Ledgers and logs: ${tortured.folder}\n`);
    process.stdout.write(`Again: npm run torture -- --seconds ${options.seconds} --from ${options.base.from}\n`);
  }
  if (options.json) process.stdout.write(`${JSON.stringify({ ...figures, violations: violations.length })}\n`);
  return violations.length === 0;
}

function figuresOf({ evidence, violations, traffic, chaos, blackouts, trouble, drainMs, ms }: Tortured): Record<string, number> {
  const ends = [...evidence.accepted.keys()].flatMap((id) => endsOf(evidence, id));
  const broken = (rule: Violation['rule']): number => violations.find((violation) => violation.rule === rule)?.ids.length ?? 0;
  const { blows } = chaos;
  return {
    seconds: Math.round(ms / 1000),
    drainSeconds: Math.round(drainMs / 1000),
    accepted: evidence.accepted.size,
    refused: traffic.refused,
    duplicates: traffic.duplicates,
    completed: ends.filter((end) => end === 'completed').length,
    cancelled: ends.filter((end) => end === 'cancelled').length,
    dead: ends.filter((end) => end.startsWith('dead')).length,
    crashLoops: ends.filter((end) => end === 'dead: crash-loop').length,
    runs: evidence.runs.length,
    kills: blows.kill + blows.killIdle,
    freezes: blows.freeze + blows.freezeToDeadline,
    zombies: blows.zombie + blows.zombieTick,
    refusedZombies: evidence.refusedZombies,
    machineKills: blackouts.blows.kill,
    machineFreezes: blackouts.blows.freeze,
    machineZombies: blackouts.blows.zombie,
    machineStops: blackouts.blows.stop,
    acquirerRestarts: blows.restartAcquirer,
    sweeperRestarts: blows.restartSweeper,
    timeouts: trouble['timed-out'],
    deadProcesses: trouble['sandbox-ended'],
    failedInvocations: trouble.threw,
    lost: broken('lost'),
    doubleCompletions: broken('double completion'),
    groupOverlaps: broken('group overlap'),
    rowsLeft: broken('row left'),
  };
}

function inWords(figures: Record<string, number>): string {
  return Object.entries(figures)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

function describe({ folder, evidence }: Tortured, { rule, ids }: Violation): void {
  process.stdout.write(`\nVIOLATION ${rule}: ${ids.length}, ${RULES[rule]}\n`);
  const ledgers = readLedgers(folder);
  for (const id of ids.slice(0, SHOWN_IDS)) {
    const { kind = 'unknown', ends = [] } = evidence.accepted.get(id) ?? {};
    process.stdout.write(`  ${id}: ${kind}, may end ${ends.join(' or ')}, ended ${endsOf(evidence, id).join(' and ') || 'nowhere'}\n`);
    for (const [pid, lines] of ledgers) {
      for (const line of lines.filter((one) => one.id === id)) process.stdout.write(`    ${pid} ${JSON.stringify(line)}\n`);
    }
  }
}
