import { short } from '../frame/measurement-table.ts';
import type { PeerFigure } from './measure-system.ts';

/** One figure of one peer: Nightcrew's divided by the peer's, of all rounds. */
export interface PeerRatio {
  readonly peer: string;
  readonly figure: PeerFigure;
  readonly ratio: { readonly min: number; readonly median: number; readonly max: number };
}

const NAMES: Readonly<Record<PeerFigure, string>> = {
  rate: 'draining',
  workerCpu: "the worker's CPU",
  storeCpu: "the store's CPU",
  enqueueRate: 'enqueueing in bulk',
  pickupMedian: 'median pick-up',
  pickupP99: 'pick-up at p99',
};
const MORE_IS_BETTER: ReadonlySet<PeerFigure> = new Set(['rate', 'enqueueRate']);

/** A sentence for each peer: which side was ahead in every round, in which figures, by what factor at the median; and where rounds disagree. */
export function whoIsAhead(ratios: readonly PeerRatio[]): readonly string[] {
  return [...Map.groupBy(ratios, ({ peer }) => peer)].map(([peer, figures]) => {
    const ahead = (by: Ahead): readonly string[] =>
      figures.filter((one) => aheadOf(one) === by).map((one) => `${NAMES[one.figure]} (${times(one)}x)`);
    const open = figures.filter((one) => aheadOf(one) === undefined).map(({ figure }) => NAMES[figure]);
    return [
      `Ahead in every round: ${peer} in ${listed(ahead('peer'))}`,
      `Nightcrew in ${listed(ahead('ours'))}`,
      ...(open.length === 0 ? [] : [`now one, now the other in ${listed(open)}`]),
    ]
      .join('; ')
      .concat('.');
  });
}

type Ahead = 'ours' | 'peer' | undefined;

function aheadOf({ figure, ratio: { min, max } }: PeerRatio): Ahead {
  const more = min > 1 ? 'ours' : 'peer';
  if (min <= 1 && max >= 1) return undefined;
  if (MORE_IS_BETTER.has(figure)) return more;
  return more === 'ours' ? 'peer' : 'ours';
}

/** The factor by which the better side is ahead; at least one. */
const times = ({ ratio: { median } }: PeerRatio): string => short(Math.max(median, 1 / median));
const listed = (names: readonly string[]): string => (names.length === 0 ? 'nothing' : names.join(', '));
