import { parentPort } from 'node:worker_threads';
import type { ScaleRun } from './scenario-threads.ts';
import { SCENARIOS } from './scenarios/scenarios.ts';

// Stacks of failed conditions are not needed, and take an eighth of the time.
Error.stackTraceLimit = 0;

async function answer({ name, size }: ScaleRun): Promise<void> {
  const scenario = SCENARIOS.find((one) => one.name === name);
  if (scenario === undefined) throw new Error(`${name} is no scenario.`);
  parentPort?.postMessage(await scenario.run(size), []);
}

// An error here ends the thread, and is passed to the caller.
parentPort?.on('message', (run: ScaleRun) => void answer(run));
