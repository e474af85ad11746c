/** The timeline of a run's timers, in milliseconds from its start. */
export interface TimerTimes {
  /** Measured due times start here; earlier ones are warm-up. */
  readonly fromMs: number;
  readonly spanMs: number;
  /** Timers due within this never become rows: they wait in the queue. */
  readonly delayHorizonMs: number;
  readonly count: number;
}

/** One timer: when it is put, and when it is due, with fractions of a second that are spread evenly. */
export interface PlannedTimer {
  readonly putAtMs: number;
  readonly dueAtMs: number;
  /** Whether it is a row that the acquirer fires. */
  readonly row: boolean;
}

const GOLDEN = 0.618_033_988_749_895;
const LEAST_LEAD_MS = 700;

/** Half of the timers are rows that are there from the beginning, half are put during the run and due soon; in the order of their puts. */
export function planTimers({ fromMs, spanMs, delayHorizonMs, count }: TimerTimes): readonly PlannedTimer[] {
  return Array.from({ length: count }, (_, index): PlannedTimer => {
    const dueAtMs = Math.floor(fromMs + spanMs * fraction(index * GOLDEN));
    if (index % 2 === 0) return { putAtMs: 0, dueAtMs, row: true };
    const lead = LEAST_LEAD_MS + (delayHorizonMs - LEAST_LEAD_MS) * fraction(index * GOLDEN * GOLDEN);
    return { putAtMs: Math.max(0, dueAtMs - Math.floor(lead)), dueAtMs, row: false };
  }).toSorted((a, b) => a.putAtMs - b.putAtMs || a.dueAtMs - b.dueAtMs);
}

const fraction = (value: number): number => value - Math.floor(value);

/** When a timer was due and when its handler started, both epoch milliseconds by one clock. */
export interface StartedTimer {
  readonly dueAt: number;
  readonly startedAt: number;
  readonly row: boolean;
}

/** Errors in milliseconds (start minus due), in slices of equal length by due time; each must hold at least one. */
export function errorsBySlice(
  started: readonly StartedTimer[],
  { from, spanMs }: { from: number; spanMs: number },
  slices: number,
): number[][] {
  const errors = Array.from({ length: slices }, (): number[] => []);
  for (const { dueAt, startedAt } of started) {
    const slice = Math.min(slices - 1, Math.floor(((dueAt - from) / spanMs) * slices));
    errors[slice]?.push(startedAt - dueAt);
  }
  const empty = errors.findIndex((slice) => slice.length === 0);
  if (empty >= 0) throw new Error(`No timer was due in slice ${empty + 1} of ${slices}.`);
  return errors;
}
