import { type PlayedStep, racesOf, stepsBefore } from './races.ts';
import { independent, mayComeFirst, type Move } from './requests.ts';

/** Picks what happens next of what may; `undefined` breaks the run off, because every way on was walked elsewhere. */
export type Choose = (moves: readonly Move[]) => number | undefined;

/** Plays one order from the start. The same choices lead to the same moves. */
export type Play<Outcome> = (choose: Choose) => Promise<Outcome>;

/** What a walk came to. */
export interface Walked {
  /** Orders that were played to their end, or broken off because they cannot differ from one of those. */
  readonly orders: number;
  readonly pruned: number;
  /** The walk ended before it had seen every order that can differ. */
  readonly capped: boolean;
  /** How much of the tree of choices was walked: 1 for all. */
  readonly share: number;
}

/** How a walk goes about it. */
export interface WalkTerms<Outcome> {
  readonly most?: number;
  /** False: orders that cannot differ are walked too, for the test that holds the one against the other. */
  readonly prune?: boolean;
  /** Shown each order: the choices where there was one. */
  readonly see: (outcome: Outcome, order: readonly number[]) => void;
  /** Whether to go on. */
  readonly goesOn?: () => boolean;
}

interface Fork extends PlayedStep {
  /** Moves that need not be made here: every order with them first was walked. */
  readonly asleep: Map<string, Move>;
  /** Moves to make here because another order of them was seen to matter. */
  readonly wanted: Set<string>;
  /** The names of moves that were not there before. */
  readonly fresh: readonly string[];
  tried: number;
}

/**
 * Walks every order in which the moves of a play can be made, depth first, each from the start. Orders that differ by swaps of
 * independent neighbours only are one: races of the walked orders say where another one is wanted, and sleep sets which were walked.
 */
export async function walk<Outcome>(play: Play<Outcome>, terms: WalkTerms<Outcome>): Promise<Walked> {
  const { most = Number.POSITIVE_INFINITY, prune = true, see, goesOn = () => true } = terms;
  const path: Fork[] = [];
  const causes = new Map<string, number>();
  let [orders, pruned] = [0, 0];
  for (;;) {
    let depth = 0;
    let broken = false;
    const known = path.length;
    const outcome = await play((moves) => {
      const fork = path[depth] ?? forkAt(path, moves, causes, prune);
      if (fork === undefined) {
        broken = true;
        return undefined;
      }
      path[depth++] = fork;
      return fork.at;
    });
    if (prune) wantOthers(path, Math.max(0, known - 1));
    if (broken) pruned++;
    else {
      orders++;
      see(
        outcome,
        path.filter(({ moves }) => moves.length > 1).map(({ at }) => at),
      );
    }
    if (!toNext(path, causes)) return { orders, pruned, capped: false, share: 1 };
    if (orders + pruned >= most || !goesOn()) return { orders, pruned, capped: true, share: shareOf(path) };
  }
}

/** The next step of a play; undefined when all of its moves sleep. */
function forkAt(path: readonly Fork[], moves: readonly Move[], causes: Map<string, number>, prune: boolean): Fork | undefined {
  const last = path.at(-1);
  const asleep = prune ? sleepers(last) : new Map<string, Move>();
  const at = moves.findIndex(({ name }) => !asleep.has(name));
  if (at === -1) return undefined;
  const fresh = moves.filter(({ name }) => !causes.has(name));
  for (const { name, cause = path.length - 1 } of fresh) causes.set(name, cause);
  const names = fresh.map(({ name }) => name);
  const fork: Fork = { moves, asleep, at, wanted: new Set(), fresh: names, causes, before: new Set(), tried: 1 };
  // A write that arrives late may be refused everywhere else, where no race would show it: each place that it can have is wanted.
  for (const move of prune ? moves.filter((one, index) => index === at || one.late === true) : moves) wantMove(fork, move);
  return fork;
}

/**
 * Wants a move, and that time passes first where that can make a difference: what time brings about next depends on what is done before, so
 * no race in a played order shows that it could have passed sooner.
 */
function wantMove({ moves, wanted }: Fork, move: Move): void {
  wanted.add(move.name);
  for (const other of moves) if (mayComeFirst(other, move)) wanted.add(other.name);
}

/** What sleeps behind a fork: what slept before or was tried before, unless it depends on what was chosen. */
function sleepers(fork: Fork | undefined): Map<string, Move> {
  if (fork === undefined) return new Map();
  const chosen = fork.moves[fork.at] as Move;
  return new Map([...fork.asleep].filter(([, move]) => independent(move, chosen)));
}

/** Looks for races of every step from this one on. */
function wantOthers(path: readonly Fork[], from: number): void {
  for (let step = from; step < path.length; step++) want(path, step);
}

/** Wants other moves where this step could have come before another one. */
function want(path: readonly Fork[], step: number): void {
  (path[step] as Fork).before = stepsBefore(path, step);
  for (const { at, begins } of racesOf(path, step)) {
    const fork = path[at] as Fork;
    if (begins.some((name) => fork.wanted.has(name) || fork.asleep.has(name))) continue;
    const possible = fork.moves.find(({ name }) => begins.includes(name));
    // Where it would have changed nothing.
    if (possible === undefined && isLate(path[step] as Fork)) continue;
    for (const move of possible === undefined ? fork.moves : [possible]) wantMove(fork, move);
  }
}

const isLate = ({ moves, at }: Fork): boolean => moves[at]?.late === true;

/** Goes to the next order; false: there is none. */
function toNext(path: Fork[], causes: Map<string, number>): boolean {
  for (;;) {
    const fork = path.at(-1);
    if (fork === undefined) return false;
    const done = fork.moves[fork.at] as Move;
    fork.asleep.set(done.name, done);
    fork.at = fork.moves.findIndex(({ name }) => fork.wanted.has(name) && !fork.asleep.has(name));
    fork.tried++;
    if (fork.at !== -1) return true;
    path.pop();
    for (const name of fork.fresh) causes.delete(name);
  }
}

/** How much of the tree lies before the next order, as far as it is known to be wanted and as if each fork's ways were alike. */
function shareOf(path: readonly Fork[]): number {
  let [share, width] = [0, 1];
  for (const { wanted, tried } of path) {
    width /= Math.max(wanted.size, tried);
    share += width * (tried - 1);
  }
  return share;
}
