/** Prices in dollars, us-east-1, as of October 2026: those of the pages that each service's pricing page has. Free tiers are not counted. */
export const PRICES = {
  /** https://aws.amazon.com/dynamodb/pricing/on-demand/ */
  writeUnit: 0.625e-6,
  readUnit: 0.125e-6,
  /** https://aws.amazon.com/sqs/pricing/ */
  request: { standard: 0.4e-6, fair: 0.5e-6, fifo: 0.5e-6 },
  /** https://aws.amazon.com/lambda/pricing/, arm64 */
  invocation: 0.2e-6,
  gigabyteSecond: 0.0000133334,
} as const;
