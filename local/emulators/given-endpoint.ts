/** The emulated services. */
export type EmulatedService = 'DYNAMODB' | 'SQS';

/** The endpoint that the environment gives for a service, as the AWS SDKs read it: the service's own, then the general one. */
export function givenEndpoint(service: EmulatedService, env: Readonly<Record<string, string | undefined>>): string | undefined {
  return env[`AWS_ENDPOINT_URL_${service}`] || env['AWS_ENDPOINT_URL'] || undefined;
}
