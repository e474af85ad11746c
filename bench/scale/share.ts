/** Which part of a scenario's full size is run; a run of a tenth of that is what its growth is measured against. */
export const SHARES = { full: 1, tenth: 0.1, hundredth: 0.01, thousandth: 0.001 } as const;
export type Share = keyof typeof SHARES;
