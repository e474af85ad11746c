import type { Figures } from '../../support/figures.ts';
import { type KnownFailure, knownFailures, oneOfEach, reportOpen, shownBriefly } from '../../support/known-failures.ts';
import { parseFaults } from './faults.ts';
import { parsePair } from './meetings.ts';
import type { Totals } from './totals.ts';
import { type BrokenOrder, OrderGoneError, runText } from './walk-pair.ts';

/** An order that broke a rule once. */
interface KnownOrder extends KnownFailure {
  readonly pair: string;
  readonly order: string;
  readonly faults: string;
}

type Print = (line: string) => void;

const SHOWN = 20;
const known = knownFailures<KnownOrder>(import.meta.dirname);

/** Repeats the orders that broke a rule once. One that cannot be played any more counts as broken: it would prove nothing. */
export async function knownOrders(print: Print): Promise<readonly BrokenOrder[]> {
  const broken: BrokenOrder[] = [];
  for (const one of known.closed) {
    const findings = await findingsOf(one);
    if (findings.length > 0) broken.push({ pair: one.pair, order: one.order, faults: one.faults, findings });
  }
  print(`${known.closed.length} known orders: ${broken.length} broke a rule`);
  await reportOpen(known.open, async (one) => (await findingsOf(one)).length > 0, print);
  return broken;
}

async function findingsOf({ pair, order, faults }: KnownOrder): Promise<readonly string[]> {
  const [meeting, struck] = [parsePair(pair), parseFaults(faults)];
  if (meeting === undefined || struck === undefined)
    return [`known-order: ${pair} with ${faults} is no pair any more; remove it from known-failures.json`];
  try {
    return (await runText({ ...meeting, faults: struck }, order)).findings;
  } catch (error) {
    if (!(error instanceof OrderGoneError)) throw error;
    return [`known-order: cannot be played any more, so play the pair anew and keep what it shows, or remove it: it ${error.message}`];
  }
}

/** Prints what walks came to. */
export function tell({ pairs, walks, orders, pruned, capped, cappedPairs, broken }: Totals, print: Print): void {
  for (const { pair, walks: of, share } of cappedPairs.toSorted((a, b) => a.share - b.share).slice(0, SHOWN))
    print(`capped: ${pair}: ${of} walks, ${(share * 100).toPrecision(2)} % of each on average`);
  if (cappedPairs.length > SHOWN) print(`capped: ${cappedPairs.length - SHOWN} pairs more, with greater shares`);
  for (const { pair, order, faults, findings } of broken.slice(0, SHOWN)) {
    for (const finding of findings.slice(0, 3)) print(`VIOLATION ${finding}`);
    print(`  npm run orders -- --pair '${pair}' --order '${order}'${faults === '' ? '' : ` --faults ${faults}`}`);
  }
  print(`${pairs} pairs in ${walks} walks: ${orders} orders, ${pruned} pruned, ${capped} walks capped`);
  print(`${broken.length} orders broke a rule`);
}

/** Keeps the first broken order of each kind for every later run. */
export function keepBroken(broken: readonly BrokenOrder[], print: Print): void {
  const kept = oneOfEach(broken, ({ findings }) => findings[0]?.replaceAll(/[\da-f]{8}-[\w-]+/g, 'id').slice(0, 60) ?? '');
  known.keep(
    kept.map(({ pair, order, faults, findings }) => ({ pair, order, faults, showed: shownBriefly(findings[0] ?? '') })),
    print,
  );
}

export const figuresOf = ({ pairs, walks, orders, pruned, capped, broken }: Totals, seconds: number): Figures => ({
  pairs,
  walks,
  orders,
  pruned,
  capped,
  violations: broken.length,
  seconds,
});
