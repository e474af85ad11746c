/** The timeout of waits in tests: a guard against hanging, ten times what a slow machine needs, never a measurement. */
export const WAIT = { timeout: 300_000, interval: 50 } as const;
