/** Size limits of DynamoDB, SQS and Lambda, and the smaller ones that keep every later write of a job possible. */
export const LIMITS = {
  /** JSON payload, UTF-8 bytes. Leaves room for the failure path in a 400 KB item. */
  payloadBytes: 256 * 1024,
  /** JSON payload outside the row, and its encoded text. A handler holds it in memory several times. */
  claimedBytes: 6 * 1024 * 1024,
  /** No row is written above this (DynamoDB refuses 400 KB). */
  itemBytes: 390 * 1024,
  /** JSON of a completion's result. */
  resultBytes: 32 * 1024,
  /** JSON of what `continueWith` leaves: with the payload, an error and the rest it fits into an item. */
  stateBytes: 64 * 1024,
  /** JSON of a merge patch: each step of a bulk action writes it again. */
  patchBytes: 8 * 1024,
  /** The text of a handler's progress. */
  progressBytes: 1024,
  payloadDepth: 64,
  payloadKeys: 10_000,
  errorNameChars: 128,
  errorMessageBytes: 2 * 1024,
  errorStackBytes: 4 * 1024,
  /** type, group, tenant, key, correlationId. */
  nameChars: 256,
  typeChars: 128,
  transactionActions: 100,
  /** Below DynamoDB's 4 MB, for the overhead of names and conditions. */
  transactionBytes: 3.5 * 1024 * 1024,
  yearsAhead: 100,
  /** SQS DelaySeconds. */
  queueDelayMs: 900_000,
  /** SQS VisibilityTimeout, counted from the receive. */
  visibilityMs: 43_200_000,
} as const;

/** Length of a text in UTF-8 bytes, which is how DynamoDB and SQS count. */
export function utf8Bytes(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

/** The longest prefix of a text that fits into `bytes`, cut between characters. */
export function cutToBytes(text: string, bytes: number): string {
  if (utf8Bytes(text) <= bytes) return text;
  const cut = Buffer.from(text, 'utf8').subarray(0, bytes).toString('utf8');
  return cut.endsWith('�') ? cut.slice(0, -1) : cut;
}
