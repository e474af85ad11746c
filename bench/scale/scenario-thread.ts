import { parentPort } from 'node:worker_threads';
import type { ScaleRun } from './scenario-threads.ts';
import { SCENARIOS } from './scenarios/scenarios.ts';

// Nobody reads the stacks of the conditions that fail, and they are an eighth of the time.
Error.stackTraceLimit = 0;

async function answer({ name, size }: ScaleRun): Promise<void> {
  const scenario = SCENARIOS.find((one) => one.name === name);
  if (scenario === undefined) throw new Error(`${name} is no scenario.`);
  parentPort?.postMessage(await scenario.run(size), []);
}

// What is thrown here ends the thread, and whoever asked is told.
parentPort?.on('message', (run: ScaleRun) => void answer(run));
