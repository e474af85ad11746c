import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { acknowledge, acknowledgeObjects } from './acknowledgements.ts';
import type { PayloadBucketReference } from './references.ts';

/** As long as point-in-time recovery reaches at most: a restored table finds the payloads of its rows. */
const VERSIONS_KEPT = Duration.days(35);

/** How the bucket of large payloads is made. */
export interface PayloadBucketOptions {
  readonly removalPolicy: RemovalPolicy;
  readonly encryptionKey?: IKey;
}

/** A private bucket that keeps versions, directly in `scope`: a payload that was removed can be read by its version for 35 days. */
export function createPayloadBucket(scope: Construct, { removalPolicy, encryptionKey }: PayloadBucketOptions): Bucket {
  const encryption =
    encryptionKey === undefined
      ? { encryption: BucketEncryption.S3_MANAGED }
      : { encryption: BucketEncryption.KMS, encryptionKey, bucketKeyEnabled: true };
  const bucket = new Bucket(scope, 'Payloads', {
    ...encryption,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    enforceSSL: true,
    versioned: true,
    lifecycleRules: [
      { noncurrentVersionExpiration: VERSIONS_KEPT },
      { expiredObjectDeleteMarker: true },
      { abortIncompleteMultipartUploadAfter: Duration.days(1) },
    ],
    removalPolicy,
  });
  acknowledge(bucket, 'accessLogs');
  acknowledgeObjects(scope, bucket);
  return bucket;
}

/** What statements and environments need of it. */
export function payloadReference(bucket: Bucket): PayloadBucketReference {
  return { name: bucket.bucketName, arn: bucket.bucketArn, objectsArn: bucket.arnForObjects('*') };
}
