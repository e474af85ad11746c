import type { Flow } from '../flow.ts';
import { BATCHING } from './batching.ts';
import { EXECUTING } from './executing.ts';
import { LIMITING } from './limiting.ts';
import { PRODUCING } from './producing.ts';
import { RACING } from './racing.ts';
import { RECURRING } from './recurring.ts';
import { TICKING } from './ticking.ts';

/** Every flow, by name. */
export const FLOWS: readonly Flow[] = [...PRODUCING, ...EXECUTING, ...TICKING, ...RACING, ...LIMITING, ...BATCHING, ...RECURRING];

/** The flow of that name; throws when there is none. */
export function flowNamed(name: string): Flow {
  const flow = FLOWS.find((one) => one.name === name);
  if (flow === undefined) throw new Error(`No flow is called ${name}. There are: ${FLOWS.map((one) => one.name).join(', ')}.`);
  return flow;
}
