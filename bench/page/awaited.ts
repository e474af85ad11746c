import { batchingOff } from '../overhead/batching-off.ts';
import { COST_FIGURES, costFigure } from '../cost/cost-figures.ts';
import type { Named } from '../frame/measurement.ts';

/** Figures that are newer than the kept run, by bench: the page shows their targets until a full run has brought them. */
export const AWAITED: Readonly<Record<string, readonly Named[]>> = {
  overhead: [batchingOff('wall'), batchingOff('cpu')],
  cost: COST_FIGURES.filter(([name]) => name.endsWith('InBatches')).map(costFigure),
};
