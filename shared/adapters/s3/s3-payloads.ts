import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import { variableNames } from '../../config/connection-name.ts';

import { defined } from '../../job/defined.ts';
import { InvalidConfigurationError, InvalidInputError, MissingEnvironmentError, missingPackage } from '../../job/errors.ts';
import { checkedInUse, checkEachOption, type OptionChecks } from '../../job/option-checks.ts';
import type { PayloadRef, PayloadStore } from '../../ports/payload-store.ts';
import { timedRequestHandler } from '../aws/request-handler.ts';
import { RetryStrategy } from '../aws/retry-strategy.ts';
import { systemEntropy, systemEnvironment } from '../system.ts';

/** Options of `s3Payloads`. All have defaults. */
export interface S3PayloadsOptions {
  /** The bucket. It must keep versions. Default: that of the deployment, as `largePayloads` of the construct sets it. */
  readonly bucket?: string;
  /** The connection by whose name the function was connected, as of `createJobClient`. */
  readonly deployment?: string;
  /** Environment variables. Default: those of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

const CHECKS: OptionChecks<S3PayloadsOptions> = {
  bucket(field, value) {
    if (typeof value !== 'string' || value === '') throw new InvalidInputError(field, value, 'Give the name of a bucket.');
  },
  deployment: (field, value) => void variableNames(value, field),
  environment: checkedInUse,
};

const CONTENT_TYPE = 'text/plain; charset=utf-8';
const PUTS = 3;

/**
 * Payloads in a bucket of S3 that keeps versions, each under a key that is written once. The environment is read at the first call, so a module can be
 * imported without it. Throws InvalidInputError, InvalidConfigurationError for a wrong option.
 */
export function s3Payloads(options: S3PayloadsOptions = {}): PayloadStore {
  checkEachOption(options, CHECKS);
  let opened: Promise<Opened> | undefined;
  const open = async (): Promise<Opened> => {
    const environment = options.environment ?? systemEnvironment();
    const variable = variableNames(options.deployment, 'deployment').payloads;
    const Bucket = options.bucket ?? environment[variable];
    if (Bucket === undefined || Bucket === '') {
      throw new MissingEnvironmentError(variable, 'largePayloads: true on the JobExecutor construct, and connect');
    }
    return (opened ??= openBucket(environment, Bucket));
  };
  return {
    async put(job, text) {
      const { sdk, client, Bucket } = await open();
      const Key = `${job}/${systemEntropy.token()}`;
      // A repeated attempt finds the object of the first one: the key has one version, which no late attempt puts aside.
      const put = new sdk.PutObjectCommand({ Bucket, Key, Body: text, ContentType: CONTENT_TYPE, IfNoneMatch: '*' });
      const answer = await putOnce(async () => client.send(put)).catch(async (error: unknown) => {
        if (statusOf(error) !== 412) throw error;
        return client.send(new sdk.HeadObjectCommand({ Bucket, Key }));
      });
      return { key: Key, version: checkVersion(answer.VersionId, Bucket) };
    },
    async get({ key, version }: PayloadRef) {
      const { sdk, client, Bucket } = await open();
      try {
        const { Body } = await client.send(new sdk.GetObjectCommand({ Bucket, Key: key, VersionId: version }));
        return await Body?.transformToString('utf8');
      } catch (error) {
        if (statusOf(error) === 404) return undefined;
        throw error;
      }
    },
    async delete(key) {
      const { sdk, client, Bucket } = await open();
      await client.send(new sdk.DeleteObjectCommand({ Bucket, Key: key }));
    },
    async list(after) {
      const { sdk, client, Bucket } = await open();
      const page = await client.send(new sdk.ListObjectsV2Command({ Bucket, ...defined({ StartAfter: after }) }));
      const payloads = (page.Contents ?? []).map(({ Key = '', LastModified, Size = 0 }) => ({
        key: Key,
        storedAt: LastModified?.getTime() ?? Number.POSITIVE_INFINITY,
        bytes: Size,
      }));
      return { payloads, ...defined({ next: page.IsTruncated === true ? payloads.at(-1)?.key : undefined }) };
    },
  };
}

type Sdk = typeof import('@aws-sdk/client-s3');

interface Opened {
  readonly sdk: Sdk;
  readonly client: S3Client;
  readonly Bucket: string;
}

/** Loads the SDK's client when it is first needed: the package is optional. Throws MissingPackageError. */
async function openBucket(environment: Readonly<Record<string, string | undefined>>, Bucket: string): Promise<Opened> {
  const sdk = await s3Sdk();
  return { sdk, client: createS3Client(sdk, environment), Bucket };
}

async function s3Sdk(): Promise<Sdk> {
  try {
    return await import('@aws-sdk/client-s3');
  } catch (error) {
    throw missingPackage(['@aws-sdk/client-s3'], error);
  }
}

/** A client that never hangs. An endpoint that is given is an emulator's, which names buckets in the path. */
function createS3Client({ S3Client: Client }: Sdk, environment: Readonly<Record<string, string | undefined>>): S3Client {
  const { AWS_REGION: region, AWS_ENDPOINT_URL_S3: endpoint } = environment;
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: sessionToken } = environment;
  const keys = accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey, ...defined({ sessionToken }) } : undefined;
  const place: S3ClientConfig = defined({ region, endpoint, credentials: environment === systemEnvironment() ? undefined : keys });
  return new Client({
    requestHandler: timedRequestHandler(),
    maxAttempts: PUTS,
    retryStrategy: new RetryStrategy({ maxAttempts: PUTS, baseMs: 50 }),
    forcePathStyle: endpoint !== undefined,
    ...place,
  });
}

/** S3 answers 409 while another attempt for the same key is under way. */
async function putOnce<Answer>(put: () => Promise<Answer>): Promise<Answer> {
  for (let tried = 1; ; tried++) {
    try {
      return await put();
    } catch (error) {
      if (statusOf(error) !== 409 || tried === PUTS) throw error;
    }
  }
}

/** Without versions a deletion that should not have been would lose a payload. */
function checkVersion(version: string | undefined, bucket: string): string {
  if (version !== undefined && version !== 'null') return version;
  throw new InvalidConfigurationError(
    `bucket: ${bucket} keeps no versions. Enable versioning, or use the bucket that largePayloads makes.`,
  );
}

const statusOf = (error: unknown): number | undefined =>
  (error as { readonly $metadata?: { readonly httpStatusCode?: number } } | undefined)?.$metadata?.httpStatusCode;
