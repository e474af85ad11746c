/**
 * Why a target is missed, in sentences, with what the profile shows; by the id of the measurement. A test fails when a missed target of the
 * last full run has no reason here, and when a reason is for one that is met.
 */
export const REASONS: Readonly<Record<string, string>> = {};
