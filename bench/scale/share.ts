/** The share of a scenario's full size to run. Growth is measured against a run of a tenth of that. */
export const SHARES = { full: 1, tenth: 0.1, hundredth: 0.01, thousandth: 0.001 } as const;
export type Share = keyof typeof SHARES;
