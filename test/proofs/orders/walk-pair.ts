import { withPlainStacks } from '../simulation/world/plain-stacks.ts';
import { faultText, type Struck } from './faults.ts';
import { pairText } from './meetings.ts';
import { type FaultyMeeting, type OrderRun, runOrder } from './run-order.ts';
import type { Situation } from './situation.ts';
import type { Verb } from './verbs/verb.ts';
import type { Possible } from './turns.ts';
import { type Choose, walk } from './walk.ts';

/** An order that broke a rule, and what shows it again. */
export interface BrokenOrder {
  readonly pair: string;
  readonly order: string;
  readonly faults: string;
  readonly findings: readonly string[];
}

/** What the walk of a pair came to; plain data, so that processes can hand it to each other. */
export interface PairReport {
  readonly pair: string;
  /** Walks of all orders: one without faults, and one for each fault at each request. */
  walks: number;
  orders: number;
  pruned: number;
  /** Walks that ended before they had seen every order, and how much of each was walked on average. */
  capped: number;
  cappedShare: number;
  readonly broken: BrokenOrder[];
  /** Time was up before it was walked whole. */
  readonly cut?: true;
}

/** How a pair is walked. */
export interface PairTerms {
  /** Most orders of one walk. */
  readonly most: number;
  /** What strikes in each walk besides the first; default: every single fault in a walk of its own. */
  readonly pick?: (possible: readonly Possible[]) => readonly (readonly Struck[])[];
  /** Whether to go on. */
  readonly goesOn?: () => boolean;
}

const SHOWN_BROKEN = 5;

/** Walks all orders of verbs in a situation, and all of them again with each single fault. */
export async function walkPair(verbs: readonly Verb[], situation: Situation, terms: PairTerms): Promise<PairReport> {
  const report: PairReport = {
    pair: pairText(verbs, situation),
    walks: 0,
    orders: 0,
    pruned: 0,
    capped: 0,
    cappedShare: 0,
    broken: [],
  };
  const possible = new Map<string, Possible>();
  const one = async (faults: readonly Struck[]): Promise<void> => {
    const see = (run: OrderRun, order: readonly number[]): void => {
      if (faults.length === 0) for (const fault of run.possible) possible.set(faultText([fault]), fault);
      const { findings } = run;
      if (findings.length > 0 && report.broken.length < SHOWN_BROKEN)
        report.broken.push({ pair: report.pair, order: orderText(order), faults: faultText(faults), findings });
    };
    const goesOn = terms.goesOn === undefined ? {} : { goesOn: terms.goesOn };
    const play = (choose: Choose): Promise<OrderRun> => withPlainStacks(() => safely(runOrder({ verbs, situation, faults }, choose)));
    const walked = await walk(play, { most: terms.most, see, ...goesOn });
    report.walks++;
    report.orders += walked.orders;
    report.pruned += walked.pruned;
    if (!walked.capped) return;
    report.cappedShare = (report.cappedShare * report.capped + walked.share) / (report.capped + 1);
    report.capped++;
  };
  await one([]);
  const { pick = (all) => all.map((fault) => [fault]) } = terms;
  for (const faults of pick([...possible.values()])) if (terms.goesOn?.() !== false) await one(faults);
  return report;
}

/** A world that breaks off is a finding too. */
async function safely(run: Promise<OrderRun>): Promise<OrderRun> {
  try {
    return await run;
  } catch (error) {
    return { steps: [], answers: {}, findings: [`world-broke: ${String(error)}`], possible: [], struck: 0, outcome: '' };
  }
}

const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz';
const orderText = (order: readonly number[]): string => order.map((at) => DIGITS[at]).join('');

/** Plays one order: the choices of a text, and the first move wherever it ends. */
export function runText(meeting: FaultyMeeting, order: string, print?: (line: string) => void): Promise<OrderRun> {
  let at = 0;
  // Where there is one move there is no choice, and none in the text.
  const choose = ({ length }: readonly unknown[]): number =>
    length === 1 ? 0 : Math.min(Math.max(0, DIGITS.indexOf(order[at++] ?? '0')), length - 1);
  return withPlainStacks(() => runOrder(meeting, choose, print));
}
