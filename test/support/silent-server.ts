import { type AddressInfo, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** How far a server that never finishes a reply gets: not a byte, the head and a stalled body, or a byte every now and then. */
export type Silence = 'silent' | 'stalled' | 'dripping';

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: 1000\r\n\r\n{';
const DRIP_MS = 50;

/** A real server on loopback that takes requests and never finishes a reply; closed when the test ends. */
export async function silentServer(silence: Silence): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    const drip = silence === 'dripping' ? setInterval(() => socket.write(' '), DRIP_MS) : undefined;
    socket.on('error', () => socket.destroy()).on('close', () => clearInterval(drip));
    if (silence !== 'silent') socket.once('data', () => socket.write(HEAD));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
