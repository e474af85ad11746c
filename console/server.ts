import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setMaxListeners } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { html } from 'hono/html';
import type { Entropy } from '../shared/ports/entropy.ts';
import { type AppDeps, createApp } from './app.ts';
import { visibleMarkup } from './jobs/visible-text.ts';
import { plainPage } from './refusals.ts';
import { createKeys } from './security/keys.ts';
import { type Refusal, refusalOf } from './security/request-rules.ts';
import { RESPONSE_HEADERS } from './security/response-headers.ts';

/** Options of a server. */
export interface ServerOptions extends Omit<AppDeps, 'keys' | 'port' | 'goneOf'> {
  readonly entropy: Pick<Entropy, 'bytes'>;
  /** Default 0: a free one. If it is taken, throws the error of `listen`. */
  readonly port?: number;
  /** How long headers and a whole request may take to arrive. Default 10 s and 30 s. */
  readonly headersTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
}

/** A console that listens on 127.0.0.1. */
export interface ConsoleServer {
  readonly port: number;
  /** An address that signs one browser in, once; the previous link is revoked if it was not opened. */
  newLink(): string;
  close(): Promise<void>;
}

const MAX_HEADER_BYTES = 16_384;
/** A few browsers with six connections each; further connections are closed. */
const MAX_CONNECTIONS = 64;
const IDLE_MS = 5_000;
const LOOPBACK = '127.0.0.1';

/** Starts the console's server, always on loopback only. */
export async function startServer(options: ServerOptions): Promise<ConsoleServer> {
  const { entropy, port: wanted = 0, headersTimeoutMs = 10_000, requestTimeoutMs = 30_000, ...parts } = options;
  const keys = createKeys(entropy);
  const server = createServer({
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(1_000, headersTimeoutMs),
    maxHeaderSize: MAX_HEADER_BYTES,
    keepAliveTimeout: IDLE_MS,
  });
  server.maxConnections = MAX_CONNECTIONS;
  const port = await listening(server, wanted);
  const answer = getRequestListener(createApp({ ...parts, keys, port, goneOf: ({ env }) => goneOf(env.incoming.socket) }).fetch, {
    overrideGlobalObjects: false,
  });
  // The port is known only now: no request is read before this turn ends.
  server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const raw = { method: incoming.method ?? '', target: incoming.url ?? '', headers: incoming.headersDistinct };
    const refusal = refusalOf(raw, port);
    if (refusal === undefined) void answer(incoming, outgoing);
    else if (refusal.followed === true) void askToGoOn(outgoing, refusal, raw.target);
    else refuse(outgoing, refusal);
  });
  return {
    port,
    newLink: () => `http://${LOOPBACK}:${port}/login#${keys.newToken()}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const gone = new WeakMap<Socket, AbortSignal>();

/** Aborted when the connection ends. The answers of requests that were sent in one go have no connection of their own to watch. */
function goneOf(socket: Socket): AbortSignal {
  const known = gone.get(socket);
  if (known !== undefined) return known;
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  socket.once('close', () => controller.abort());
  if (socket.destroyed) controller.abort();
  gone.set(socket, controller.signal);
  return controller.signal;
}

/** The port that it listens on. */
async function listening(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, LOOPBACK, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port;
}

/** As plain text: nothing of the request is repeated. The connection ends, so that a body is not read. */
function refuse(outgoing: ServerResponse, { status, message }: Refusal): void {
  outgoing.writeHead(status, { ...RESPONSE_HEADERS, 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
  outgoing.end(`${message}\n`);
}

/** A page with a link to the requested path: a user who follows it comes from here. Reads nothing. */
async function askToGoOn(outgoing: ServerResponse, { status, message }: Refusal, target: string): Promise<void> {
  const { pathname, search } = new URL(target, `http://${LOOPBACK}`);
  // A backslash reads like a slash: the path must not become a host.
  const path = `/${pathname.replace(/^\/+/, '')}${search}`;
  const page = await plainPage('Open this page?', html`${message} <a href="${path}">${path}</a>`);
  outgoing.writeHead(status, { ...RESPONSE_HEADERS, 'content-type': 'text/html; charset=utf-8', connection: 'close' });
  outgoing.end(visibleMarkup(page));
}
