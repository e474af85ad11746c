import { defined } from '../../../shared/job/defined.ts';
import { withPlainStacks } from '../simulation/world/plain-stacks.ts';
import { faultText, type Struck } from './faults.ts';
import { pairText } from './meetings.ts';
import { type FaultyMeeting, type OrderRun, runOrder } from './run-order.ts';
import type { Situation } from './situation.ts';
import type { Verb } from './verbs/verb.ts';
import type { Possible } from './turns.ts';
import { labelOf } from './requests.ts';
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
    const see = (run: NamedRun): void => {
      if (faults.length === 0) for (const fault of run.possible) possible.set(faultText([fault]), fault);
      const { findings } = run;
      if (findings.length > 0 && report.broken.length < SHOWN_BROKEN)
        report.broken.push({ pair: report.pair, order: run.order, faults: namedFaults(faults, run), findings });
    };
    const goesOn = terms.goesOn === undefined ? {} : { goesOn: terms.goesOn };
    const play = (choose: Choose): Promise<NamedRun> => withPlainStacks(() => namedRun({ verbs, situation, faults }, choose));
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

/** A run, and the labels of the moves that were chosen in it. */
type NamedRun = OrderRun & { readonly order: string };

/** Plays one order and notes its choices. A world that breaks off is a finding too. */
async function namedRun(meeting: FaultyMeeting, choose: Choose): Promise<NamedRun> {
  const chosen: string[] = [];
  const noting: Choose = (moves) => {
    const at = choose(moves);
    const move = at === undefined || moves.length === 1 ? undefined : moves[at];
    if (move !== undefined) chosen.push(labelOf(move));
    return at;
  };
  try {
    return { ...(await runOrder(meeting, noting)), order: chosen.join(' ') };
  } catch (error) {
    const findings = [`world-broke: ${String(error)}`];
    return { steps: [], answers: {}, findings, possible: [], struck: 0, outcome: '', order: chosen.join(' ') };
  }
}

/** The faults of a run, each with what the request asks for that it struck there. */
function namedFaults(faults: readonly Struck[], { possible }: OrderRun): string {
  return faultText(
    faults.map(({ actor, at, fault }) => ({ actor, at, fault, ...defined({ kind: kindOf({ actor, at, fault }, possible) }) })),
  );
}

/** An order names a move or a fault that is not there any more: requests have changed since it was kept. */
export class OrderGoneError extends Error {
  override readonly name = 'OrderGoneError';
}

/**
 * Plays one order: the moves that its labels name wherever there is a choice, and the first move where they end. Throws OrderGoneError when one of them is
 * not possible where it is named, or when a fault strikes another request than the one that it names.
 */
export async function runText(meeting: FaultyMeeting, order: string, print?: (line: string) => void): Promise<OrderRun> {
  const labels = order.split(' ').filter((label) => label !== '');
  let at = 0;
  const choose: Choose = (moves) => {
    const label = labels[at];
    if (moves.length === 1 || label === undefined) return 0;
    const found = moves.findIndex((move) => labelOf(move) === label);
    if (found === -1)
      throw new OrderGoneError(
        `wants ${label} at choice ${at + 1}, but possible are ${moves.map(labelOf).join(', ')}; --order '${labels.slice(0, at).join(' ')}' plays the part before`,
      );
    at++;
    return found;
  };
  const run = await withPlainStacks(() => runOrder(meeting, choose, print));
  if (at < labels.length) throw new OrderGoneError(`ends at choice ${at}, before ${labels[at]}`);
  for (const { kind, ...struck } of meeting.faults) {
    const now = kindOf(struck, run.possible);
    if (kind !== undefined && kind !== now)
      throw new OrderGoneError(
        `has the fault ${faultText([{ ...struck, kind }])}, but that request is ${now ?? 'one that it cannot strike'}`,
      );
  }
  return run;
}

/** What the request asks for that a fault struck in an order. */
function kindOf({ actor, at, fault }: Struck, possible: readonly Possible[]): string | undefined {
  return possible.find((one) => one.actor === actor && one.at === at && one.fault === fault)?.kind;
}
