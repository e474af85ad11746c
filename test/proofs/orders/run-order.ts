import { SandboxEndedError } from '../../../functions/executor/execute-messages.ts';
import { NightcrewError } from '../../../shared/job/errors.ts';
import { ScriptedWorld } from '../exhaustive/scripted-world.ts';
import { settle } from './aftermath.ts';
import type { Struck } from './faults.ts';
import { makeScene } from './make-scene.ts';
import type { Meeting } from './meetings.ts';
import type { Move } from './requests.ts';
import { outcomeOf } from './outcome.ts';
import type { Scene } from './scene.ts';
import { type Possible, Turns } from './turns.ts';
import type { Verb } from './verbs/verb.ts';
import type { Choose } from './walk.ts';

/** What came of one order. */
export interface OrderRun {
  /** What was done, move by move. */
  readonly steps: readonly string[];
  readonly answers: Readonly<Record<string, string>>;
  /** Broken rules, as text. */
  readonly findings: readonly string[];
  readonly possible: readonly Possible[];
  readonly struck: number;
  /** What the actors were told, and what the store holds when they have ended. */
  readonly outcome: string;
}

/** A meeting, with what goes wrong. */
export interface FaultyMeeting extends Meeting {
  readonly faults: readonly Struck[];
  /** Also moves are offered that change nothing for anybody, for the tests that compare. */
  readonly whole?: boolean;
}

/** Between two requests, as everything takes time. */
const STEP_MS = 1;
/** More moves than any order needs: one that goes on forever is a finding. */
const MOST_MOVES = 2_000;

/** What a verb may reject with: an error that its page names; one that runs handlers, the end of a process whose handler did not stop. */
function isToldEnd({ role }: Verb, error: unknown): boolean {
  return error instanceof NightcrewError || (error instanceof SandboxEndedError && (role === 'executor' || role === 'outside'));
}

/** Plays one order of a meeting in a world of its own, lets that come to its end, and holds everything against the rules. */
export async function runOrder(meeting: FaultyMeeting, choose: Choose, print?: (line: string) => void): Promise<OrderRun> {
  let turns = undefined as unknown as Turns;
  const stage = new ScriptedWorld({
    settings: { executorTimeoutMs: 60_000, sweepSegments: 1, parallelShards: 64 },
    history: meeting.situation.history,
    chaos: (world) => (turns = new Turns(world, meeting.faults, meeting.whole)),
    ...(print === undefined ? {} : { print }),
  });
  stage.source.batch = () => 1;
  const scene = await makeScene(stage, meeting.situation);
  const answers: Record<string, string> = {};
  const scenes: Scene[] = [];
  for (const verb of meeting.verbs) scenes.push((await verb.prepare?.(scene)) ?? scene);
  const { violations } = stage.world.checks;
  for (const [index, verb] of meeting.verbs.entries()) {
    const actor = String.fromCharCode(65 + index);
    turns.act(actor);
    stage.world.time.after(0, () => {
      verb.act(scenes[index] ?? scene).then(
        (answer) => (answers[actor] = answerText(answer)),
        (error: unknown) => {
          answers[actor] = error instanceof Error ? error.name : String(error);
          if (!isToldEnd(verb, error)) violations.add('no-stray-rejection', `${verb.name}: ${String(error)}`);
        },
      );
    });
    await stage.world.time.runUntil(stage.now);
  }
  const steps: string[] = [];
  const whole = await play(stage, turns, choose, { steps, ended: () => Object.keys(answers).length === meeting.verbs.length });
  turns.open();
  if (!whole) return { steps, answers, findings: [], possible: turns.possible, struck: turns.struck, outcome: '' };
  const outcome = outcomeOf(stage.world, answers);
  // Where no fault struck it is an order of the walk without faults, which saw its end.
  if (meeting.faults.length === 0 || turns.struck > 0) await settle(scene);
  const findings = violations.list.map(({ rule, what }) => `${rule}: ${what}`);
  return { steps, answers, findings, possible: turns.possible, struck: turns.struck, outcome };
}

interface Playing {
  readonly steps: string[];
  readonly ended: () => boolean;
}

/** False: every way on was walked elsewhere. */
async function play(stage: ScriptedWorld, turns: Turns, choose: Choose, { steps, ended }: Playing): Promise<boolean> {
  const end = stage.now + 3_600_000;
  for (;;) {
    const moves = turns.moves();
    const first = moves[0];
    // Time that passes when nobody acts any more is everybody's.
    if (first === undefined || (first.time && (ended() || stage.now > end))) return true;
    const at = choose(moves);
    if (at === undefined) return false;
    const move = moves[at] as Move;
    steps.push(`${move.name} ${move.what}`);
    if (steps.length > MOST_MOVES) throw new Error(`An order takes more than ${MOST_MOVES} moves.`);
    await turns.make(move, STEP_MS);
  }
}

function answerText(answer: unknown): string {
  return typeof answer === 'string' ? answer : (JSON.stringify(answer) ?? 'nothing').slice(0, 200);
}
