import { buildApp } from 'fauxqs';
import { systemEnvironment } from '../../shared/adapters/system.ts';
import { givenEndpoint } from './given-endpoint.ts';

/** An SQS to talk to. */
export interface RunningSqs {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** Starts fauxqs in this process on a free loopback port, or uses the endpoint that the environment gives. */
export async function startFauxqs(env: Readonly<Record<string, string | undefined>> = systemEnvironment()): Promise<RunningSqs> {
  const given = givenEndpoint('SQS', env);
  if (given !== undefined) return { endpoint: given, stop: async () => {} };
  // Not its own start function: that one binds every interface.
  const app = buildApp({ logger: false });
  const endpoint = await app.listen({ port: 0, host: '127.0.0.1' });
  const stop = async (): Promise<void> => {
    app.server.closeAllConnections();
    await app.close();
  };
  return { endpoint, stop };
}
