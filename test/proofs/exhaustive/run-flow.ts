import { BROKEN_WITHOUT_KILL } from '../simulation/check/violations.ts';
import { ChosenFaults, type Chosen, type Point } from './chosen-faults.ts';
import type { Flow, Stage } from './flow.ts';
import { ScriptedWorld } from './scripted-world.ts';

/** The result of one run of a flow. */
export interface FlowRun {
  readonly points: readonly Point[];
  readonly operations: number;
  readonly starts: number;
  readonly overlaps: number;
  readonly rescues: number;
  readonly dead: number;
  /** Jobs whose executors know that they completed. */
  readonly completed: number;
  /** Broken rules, as text. */
  readonly findings: readonly string[];
}

/** The finding of a run in which not all faults occurred. */
export const NEVER_STRUCK = 'never-struck';

/** Runs a flow with these faults, to its end and the reckoning. `like`: the run without them, which it is held against. */
export async function runFlow(flow: Flow, chosen: readonly Chosen[], like?: FlowRun, print?: (line: string) => void): Promise<FlowRun> {
  let faults = undefined as unknown as ChosenFaults;
  const killBroken = chosen.some(({ fault }) => fault === 'overtaken' || fault === 'outlived');
  const stage = new ScriptedWorld({
    settings: { executorTimeoutMs: 60_000, sweepSegments: 1, parallelShards: 64, ...flow.settings },
    history: flow.history ?? 'outcome',
    chaos: (world) => (faults = new ChosenFaults(world, flow.observed, chosen)),
    ...(killBroken ? { forgiven: BROKEN_WITHOUT_KILL } : {}),
    ...(print === undefined ? {} : { print }),
  });
  stage.source.batch = () => flow.batch ?? 10;
  const observed: Stage = Object.assign(stage, { observe: () => void (faults.observing = true) });
  await flow.script(observed);
  await stage.close();
  const { world } = stage;
  const { tracker, ledger, violations } = world.checks;
  const run = {
    points: faults.points,
    operations: world.store.operations + world.queues.operations,
    starts: ledger.starts,
    overlaps: ledger.overlaps,
    rescues: world.events.get('reset') ?? 0,
    completed: world.events.get('completed') ?? 0,
    dead: [...tracker.jobs.values()].filter(({ state }) => state === 'dead').length,
  };
  const findings = violations.list.map(({ rule, what }) => `${rule}: ${what}`);
  if (faults.struck < chosen.length) findings.push(`${NEVER_STRUCK}: ${chosen.length - faults.struck} of ${chosen.length} faults`);
  return { ...run, findings: [...findings, ...(like === undefined ? [] : heldAgainst(run, like, { chosen, race: flow.race === true }))] };
}

/** The allowed cost of a fault: it never kills a job, and a lost reply costs nothing, because the SDK's next try is recognized. */
function heldAgainst(
  run: Omit<FlowRun, 'findings'>,
  like: FlowRun,
  { chosen, race }: { readonly chosen: readonly Chosen[]; readonly race: boolean },
): readonly string[] {
  const findings: string[] = [];
  if (run.dead > like.dead) findings.push(`needless-death: ${run.dead} dead letters, without faults ${like.dead}`);
  const onlyReplies = chosen.every(({ fault }) => fault === 'lost-reply');
  if (onlyReplies && run.rescues > like.rescues)
    findings.push(`needless-rescue: ${run.rescues} rescues after lost replies, without faults ${like.rescues}`);
  if (onlyReplies && !race && run.starts > like.starts)
    findings.push(`needless-start: ${run.starts} starts after lost replies, without faults ${like.starts}`);
  if (onlyReplies && !race && run.completed < like.completed)
    findings.push(`forgotten-completion: ${run.completed} completions were told after lost replies, without faults ${like.completed}`);
  return findings;
}
