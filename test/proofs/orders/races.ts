import { independent, type Move } from './requests.ts';

/** A step of a play: what could be done, what was, and which steps came before it in every order that is the same. */
export interface PlayedStep {
  readonly moves: readonly Move[];
  /** By name: the step that brought a move about; -1: it was there from the start. */
  readonly causes: ReadonlyMap<string, number>;
  at: number;
  before: ReadonlySet<number>;
}

const made = ({ moves, at }: PlayedStep): Move => moves[at] as Move;

/** Works out which steps must come before the last one of a play: what caused it, what it depends on, and what came before those. */
export function stepsBefore(steps: readonly PlayedStep[], last: number): ReadonlySet<number> {
  const step = steps[last] as PlayedStep;
  const before = new Set<number>();
  for (let other = last - 1; other >= 0; other--) {
    if (before.has(other)) continue;
    const isCause = step.causes.get(made(step).name) === other;
    if (!isCause && independent(made(steps[other] as PlayedStep), made(step))) continue;
    before.add(other);
    for (const earlier of (steps[other] as PlayedStep).before) before.add(earlier);
  }
  return before;
}

/** A step that could have come after another one, and the moves with which that other way begins. */
export interface Race {
  readonly at: number;
  readonly begins: readonly string[];
}

/** The races of a step with earlier ones: those that only come before it because they happened to (Abdulla et al., source sets). */
export function racesOf(steps: readonly PlayedStep[], last: number): readonly Race[] {
  const { before, causes, ...step } = steps[last] as PlayedStep;
  const cause = causes.get(made({ ...step, before, causes }).name);
  // With another step in between, it came first because of that one.
  const throughOthers = new Set<number>();
  for (const between of before) for (const earlier of (steps[between] as PlayedStep).before) throughOthers.add(earlier);
  const reversible = [...before].filter((at) => at !== cause && !throughOthers.has(at));
  return reversible.map((at) => {
    const way = steps
      .map((_, index) => index)
      .filter((index) => index > at && (index === last || (index < last && !isAfter(steps, index, at))));
    const first = way.filter((index) => !way.some((other) => other !== index && isAfter(steps, index, other)));
    return { at, begins: first.map((index) => made(steps[index] as PlayedStep).name) };
  });
}

const isAfter = (steps: readonly PlayedStep[], step: number, other: number): boolean => (steps[step] as PlayedStep).before.has(other);
