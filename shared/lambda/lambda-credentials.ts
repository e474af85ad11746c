import type { Clock } from '../ports/clock.ts';
import { type LambdaCredentials, memoizedCredentials, REFRESH_MS } from './memoized-credentials.ts';
import { systemClock, systemEnvironment } from '../adapters/system.ts';

/** There are no credentials, or they could not be fetched; the message names the sources, never their content. */
export class LambdaCredentialsError extends Error {
  /** The SDK's name for this error, so that it can be searched for. */
  override readonly name = 'CredentialsProviderError';
  readonly tryNextLink = false;
}

const TRIES = 3;
const TIMEOUT_MS = 1_000;

/**
 * Replaces `@aws-sdk/credential-provider-node` in function bundles. Lambda provides its role's keys in the environment, or at
 * a loopback address named there; the SDK's chain includes four more clients for profiles, SSO and instances. A client asks
 * its default provider several times per request and keeps nothing, so the provider does. What the client passes is not needed.
 */
export function defaultProvider(_client?: object, clock: Clock = systemClock): ReturnType<typeof memoizedCredentials> {
  return memoizedCredentials(found, clock);
}

/** Whether the keys expire, so that the SDK must ask again. */
export function credentialsWillNeedRefresh(credentials?: Pick<LambdaCredentials, 'expiration'>): boolean {
  return credentials?.expiration !== undefined;
}

/** Whether keys are too near their end to be used. */
export function credentialsTreatedAsExpired(credentials?: Pick<LambdaCredentials, 'expiration'>, now: number = systemClock.now()): boolean {
  return credentials?.expiration !== undefined && credentials.expiration.getTime() - now < REFRESH_MS;
}

async function found(): Promise<LambdaCredentials> {
  const environment = systemEnvironment();
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = environment;
  if (accessKeyId && secretAccessKey) return environmentKeys(environment, { accessKeyId, secretAccessKey });
  const { AWS_CONTAINER_CREDENTIALS_FULL_URI: uri, AWS_CONTAINER_AUTHORIZATION_TOKEN: token } = environment;
  if (uri) return fetched(acceptedUrl(uri), token);
  throw new LambdaCredentialsError(
    'There are no credentials: neither AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY nor AWS_CONTAINER_CREDENTIALS_FULL_URI is set, one of which Lambda sets.',
  );
}

type Environment = ReturnType<typeof systemEnvironment>;

function environmentKeys(
  { AWS_SESSION_TOKEN: token, AWS_CREDENTIAL_EXPIRATION: end, AWS_CREDENTIAL_SCOPE: scope, AWS_ACCOUNT_ID: account }: Environment,
  keys: Pick<LambdaCredentials, 'accessKeyId' | 'secretAccessKey'>,
): LambdaCredentials {
  return {
    ...keys,
    ...(token ? { sessionToken: token } : {}),
    ...(end ? { expiration: new Date(end) } : {}),
    ...(scope ? { credentialScope: scope } : {}),
    ...(account ? { accountId: account } : {}),
  };
}

/** Keys are asked for over TLS or on this machine only. */
function acceptedUrl(uri: string): URL {
  const url = URL.parse(uri);
  if (url !== null && (url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname)))) return url;
  throw new LambdaCredentialsError('AWS_CONTAINER_CREDENTIALS_FULL_URI is neither an https URL nor one of a loopback address.');
}

const LOOPBACK = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/;

async function fetched(url: URL, token: string | undefined): Promise<LambdaCredentials> {
  let last: unknown;
  for (let tries = 0; tries < TRIES; tries += 1) {
    try {
      const headers = token === undefined ? {} : { Authorization: token };
      const reply = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
      if (!reply.ok) throw new Error(`status ${reply.status}`);
      return readKeys(await reply.json());
    } catch (error) {
      last = error;
    }
  }
  throw new LambdaCredentialsError(`The container's endpoint gave no credentials in ${TRIES} attempts.`, { cause: last });
}

function readKeys(reply: unknown): LambdaCredentials {
  const { AccessKeyId, SecretAccessKey, Token, Expiration, AccountId } = (reply ?? {}) as Readonly<Record<string, unknown>>;
  const expiration = new Date(String(Expiration));
  if (
    typeof AccessKeyId !== 'string' ||
    typeof SecretAccessKey !== 'string' ||
    typeof Token !== 'string' ||
    Number.isNaN(expiration.getTime())
  )
    throw new Error('the reply lacks keys, token or expiration');
  return {
    accessKeyId: AccessKeyId,
    secretAccessKey: SecretAccessKey,
    sessionToken: Token,
    expiration,
    ...(typeof AccountId === 'string' ? { accountId: AccountId } : {}),
  };
}
