import { benchBranches } from './branches/bench-branches.ts';
import { benchCost } from './cost/bench-cost.ts';
import { benchColdStart } from './cold-start/bench-cold-start.ts';
import type { Bench } from './frame/bench.ts';
import { benchLatency } from './latency/bench-latency.ts';
import { benchOverhead } from './overhead/bench-overhead.ts';
import { benchPeers } from './peers/bench-peers.ts';
import { benchScale } from './scale/bench-scale.ts';
import { benchThroughput } from './throughput/bench-throughput.ts';
import { benchTimers } from './timers/bench-timers.ts';
import { benchTuning } from './tuning/bench-tuning.ts';

/** Every bench, in the order in which they run and are shown. */
export const BENCHES: readonly Bench[] = [
  benchCost,
  benchOverhead,
  benchLatency,
  benchThroughput,
  benchBranches,
  benchTimers,
  benchColdStart,
  benchPeers,
  benchTuning,
  benchScale,
];
