import { ScriptedWorld } from '../proofs/exhaustive/scripted-world.ts';
import { withPlainStacks } from '../proofs/simulation/world/plain-stacks.ts';
import { makeScene } from '../proofs/orders/make-scene.ts';
import type { Situation } from '../proofs/orders/situation.ts';
import type { Verb } from '../proofs/orders/verbs/verb.ts';
import { JOB_TYPES } from '../proofs/simulation/workload/work-item-jobs.ts';
import { withNames } from './names.ts';
import { Recorder } from './recorder.ts';
import { answerText } from './text.ts';

const HOUR = 3_600_000;
const STRAGGLERS_MS = 2_000;

/** Lets one actor act alone in a situation, and writes down what it requests, its answer and the events that it records. */
export function transcribe(verb: Verb, situation: Situation): Promise<readonly string[]> {
  return withPlainStacks(() => actAlone(verb, situation));
}

async function actAlone(verb: Verb, situation: Situation): Promise<readonly string[]> {
  const stage = new ScriptedWorld({
    settings: { executorTimeoutMs: 60_000, sweepSegments: 1, parallelShards: 64 },
    history: situation.history,
  });
  stage.source.batch = () => 1;
  const made = await makeScene(stage, situation);
  const scene = (await verb.prepare?.(made)) ?? made;
  const startedAt = stage.now;
  const { lines, events } = new Recorder(stage.world);
  let answer: unknown = 'none';
  let ended = false;
  stage.world.time.after(0, () => {
    verb
      .act(scene)
      .then(
        (value) => (answer = value),
        (error: unknown) => (answer = error),
      )
      .finally(() => (ended = true));
  });
  await stage.until(() => ended, HOUR);
  await stage.pass(STRAGGLERS_MS);
  const end = `answer ${answerText(answer)}${events.length === 0 ? '' : `, events ${events.join(' ')}`}`;
  return withNames([...lines, end], { startedAt, type: JOB_TYPES[scene.type].name });
}
