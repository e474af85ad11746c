import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One PutEvents request as it arrived. */
export interface SeenPut {
  readonly target: string;
  readonly entries: readonly {
    readonly EventBusName: string;
    readonly Source: string;
    readonly DetailType: string;
    readonly Detail: string;
  }[];
}

/** The result of a request: an error code for some of its entries by index, a reply that names only the first few, or a failed request. */
export type PutAnswer = { readonly refuse?: readonly number[]; readonly names?: number } | { readonly status: number };

/** EventBridge's PutEvents over HTTP on the loopback interface, with answers that a test chooses. */
export interface FakeEventBridge {
  readonly endpoint: string;
  readonly puts: SeenPut[];
  /** Answers of the next requests, in order; without one everything is taken. */
  readonly answers: PutAnswer[];
  close(): Promise<void>;
}

export async function fakeEventBridge(): Promise<FakeEventBridge> {
  const puts: SeenPut[] = [];
  const answers: PutAnswer[] = [];
  const server: Server = createServer((request, response) => {
    const body: Buffer[] = [];
    request.on('data', (chunk: Buffer) => body.push(chunk));
    request.on('end', () => {
      const { Entries: entries } = JSON.parse(Buffer.concat(body).toString('utf8')) as { Entries: SeenPut['entries'] };
      puts.push({ target: String(request.headers['x-amz-target']), entries });
      const answer = answers.shift() ?? {};
      response.setHeader('content-type', 'application/x-amz-json-1.1');
      if ('status' in answer) {
        response.statusCode = answer.status;
        response.end(JSON.stringify({ __type: 'InternalException', message: 'no' }));
        return;
      }
      const told = entries
        .slice(0, answer.names ?? entries.length)
        .map((_, index) => (answer.refuse?.includes(index) ? { ErrorCode: 'ThrottlingException' } : { EventId: `e${index}` }));
      response.end(JSON.stringify({ FailedEntryCount: answer.refuse?.length ?? 0, Entries: told }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    puts,
    answers,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
