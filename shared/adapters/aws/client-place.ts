import { defined } from '../../job/defined.ts';

/** Endpoint, region and credentials of an SDK client; what is absent comes from the process's environment. */
export interface ClientPlace {
  endpoint?: string;
  region?: string;
  credentials?: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
}

/** Where a client of `service` sends its requests, as `environment` says, so that two deployments in one process do not meet. */
export function clientPlace(environment: Readonly<Record<string, string | undefined>>, service: string): ClientPlace {
  const {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: token,
  } = environment;
  const credentials =
    accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey, ...(token ? { sessionToken: token } : {}) } : undefined;
  return defined({ endpoint: environment[`AWS_ENDPOINT_URL_${service}`], region, credentials });
}
