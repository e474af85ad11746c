import { request } from 'node:http';
import { connect } from 'node:net';

/** A request with exactly these headers: no client adds, joins or refuses one. */
export interface RawAsk {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
}

/** An answer as it came. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

/** Asks the console on a port; `headers` must hold the Host. */
export function askRaw(port: number, { method = 'GET', path = '/', headers = {}, body }: RawAsk): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const sent = Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]);
    const asked = request({
      host: '127.0.0.1',
      port,
      method,
      path,
      setHost: false,
      headers: Object.fromEntries(sent) as Record<string, string>,
    });
    asked.on('error', reject);
    asked.on('response', (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => (text += chunk));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
      answer.on('error', reject);
    });
    asked.end(body);
  });
}

/** Writes bytes to the port and gives back all that came until the console ended the connection. */
export function talk(port: number, bytes: string, host = '127.0.0.1'): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host, () => socket.write(bytes));
    let heard = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => (heard += chunk));
    socket.on('close', () => resolve(heard));
    socket.on('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNRESET' ? resolve(heard) : reject(error)));
  });
}
