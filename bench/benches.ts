import { benchCost } from './cost/bench-cost.ts';
import type { Bench } from './frame/bench.ts';
import { benchOverhead } from './overhead/bench-overhead.ts';
import { benchScale } from './scale/bench-scale.ts';

/** Every bench, in the order in which they run and are shown. */
export const BENCHES: readonly Bench[] = [benchCost, benchOverhead, benchScale];
