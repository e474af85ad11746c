/** A seed that broke a rule once. */
export interface KnownSeed {
  readonly seed: number;
  /** What it showed. */
  readonly showed: string;
}

/** Run before all others, by `npm run simulate` and by the tests: what was found once is looked for again, whatever else is drawn. */
export const KNOWN_SEEDS: readonly KnownSeed[] = [
  { seed: 70_999_206, showed: 'hints for follow-ups of a run that had ended as cancelled' },
  { seed: 395_848_220, showed: 'hints for follow-ups of a run that had ended as cancelled' },
  { seed: 60_000_021, showed: 'a cancelled run that History keeps as completed' },
  { seed: 60_000_027, showed: 'a cancelled run that History keeps as completed' },
  { seed: 824_045_424, showed: 'the checker compares the dispatches of a row that cannot be read' },
  { seed: 101_637_375, showed: 'the checker takes a start of another claim for a start that was moved' },
  { seed: 857_393_341, showed: 'the checker takes a start of another claim for a start that was moved' },
  { seed: 924_568_704, showed: 'the checker goes by what a row was before somebody spoiled it' },
  { seed: 727_069_277, showed: "an operator's edit that was applied twice, by a transaction that outlived its token" },
  { seed: 230_187_660, showed: "an operator's edit that was applied twice, by a transaction that outlived its token" },
  { seed: 70_999_231, showed: "an operator's edit that was applied twice, by a transaction that outlived its token" },
];
