import { NightcrewError } from '../../shared/job/errors.ts';
import { ScriptedWorld } from '../proofs/exhaustive/scripted-world.ts';
import { withPlainStacks } from '../proofs/simulation/world/plain-stacks.ts';
import { makeScene } from '../proofs/orders/make-scene.ts';
import type { Scene } from '../proofs/orders/scene.ts';
import type { Situation } from '../proofs/orders/situation.ts';
import type { Verb } from '../proofs/orders/verbs/verb.ts';
import { type Mishap, Recorder } from './recorder.ts';
import { textOf } from './text.ts';

const HOUR = 3_600_000;
const STRAGGLERS_MS = 2_000;

/** What goes otherwise than usual: at which of the requests that write, counted from 1. A verb there acts in between. */
export interface Otherwise {
  readonly at: number;
  readonly what: Exclude<Mishap, () => unknown> | Verb;
}

/** What a verb asked for, told and answered, and how many requests that write there were. */
export interface Transcript {
  readonly lines: readonly string[];
  readonly writes: number;
}

/** Lets one actor act alone in a situation, and writes down what it does. */
export function transcribe(verb: Verb, situation: Situation, otherwise?: Otherwise): Promise<Transcript> {
  return withPlainStacks(() => actAlone(verb, situation, otherwise));
}

async function actAlone(verb: Verb, situation: Situation, otherwise?: Otherwise): Promise<Transcript> {
  const stage = new ScriptedWorld({
    settings: { executorTimeoutMs: 60_000, sweepSegments: 1, parallelShards: 64 },
    history: situation.history,
  });
  stage.source.batch = () => 1;
  const scene = await makeScene(stage, situation);
  const startedAt = stage.now;
  const mishap = otherwise && {
    at: otherwise.at,
    what: typeof otherwise.what === 'string' ? otherwise.what : letAct(otherwise.what, scene),
  };
  const recorder = new Recorder(stage.world, mishap);
  let answer: unknown;
  let ended = false;
  stage.world.time.after(0, () => {
    verb
      .act(scene)
      .then(
        (value) => (answer = value),
        (error: unknown) => (answer = error instanceof NightcrewError ? error : String(error)),
      )
      .finally(() => (ended = true));
  });
  await stage.until(() => ended, HOUR);
  await stage.pass(STRAGGLERS_MS);
  const { lines } = recorder;
  return { lines: textOf([...lines, { verb: 'answer', what: ended ? [answer] : 'none' }], startedAt), writes: recorder.writes };
}

const letAct = (other: Verb, scene: Scene) => (): Promise<unknown> => other.act(scene).catch(() => undefined);
