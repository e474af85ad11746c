import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { WireRequest } from './smithy-client.ts';

/** A server on loopback that accepts connections and never answers. */
export interface BlackHole {
  /** The request, on its way into the hole. */
  swallow(request: WireRequest): Promise<WireRequest>;
  /** Closes all pending connections. */
  close(): void;
}

/** Opens when the first request comes; keeps no process alive. */
export function createBlackHole(): BlackHole {
  let opened: Promise<Server> | undefined;
  const sockets = new Set<Socket>();
  const open = async (): Promise<Server> => {
    const server = createServer((socket) => {
      sockets.add(socket.unref());
      socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
    });
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
    return server.unref();
  };
  return {
    swallow: async (request) => {
      const { port } = (await (opened ??= open())).address() as AddressInfo;
      const swallowed = Object.create(Object.getPrototypeOf(request) as object) as WireRequest;
      return Object.assign(swallowed, request, { protocol: 'http:', hostname: '127.0.0.1', port });
    },
    close: () => {
      void opened?.then((server) => server.close());
      opened = undefined;
      for (const socket of sockets) socket.destroy();
    },
  };
}
