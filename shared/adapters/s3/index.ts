// Payloads in S3, for `claimCheck`. Needs the optional package `@aws-sdk/client-s3`.
export { s3Payloads, type S3PayloadsOptions } from './s3-payloads.ts';
export type { KeptPayload, PayloadRef, PayloadStore } from '../../ports/payload-store.ts';
