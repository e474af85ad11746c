import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** An address on which a process takes connections, as `/proc` writes it: `0100007F:9A1C`. */
interface Listener {
  readonly pid: number;
  readonly address: string;
}

const LISTEN = '0A';
/** 127.0.0.1, ::1 and ::ffff:127.0.0.1, in the byte order of `/proc/net/tcp` and `tcp6`. */
const LOOPBACK = /^(?:0{16}FFFF0000)?0100007F:|^0{24}01000000:/;

/**
 * Addresses beyond the loopback interface on which a process or one of its descendants listens. There should be none.
 * Undefined where there is no /proc to ask.
 */
export function listensBeyondLoopback(pid: number): readonly string[] | undefined {
  if (process.platform !== 'linux') return undefined;
  const family = new Set(withDescendants(pid));
  return listeners(family)
    .filter(({ address }) => !isLoopback(address))
    .map((listener) => `process ${listener.pid} on ${listener.address}`);
}

/** Whether an address and port as `/proc` writes them, such as `0100007F:9A1C`, can be reached from this machine only. */
export function isLoopback(address: string): boolean {
  return LOOPBACK.test(address);
}

/** The process and all that descend from it and still live. */
export function withDescendants(pid: number): readonly number[] {
  const children = new Map<number, number[]>();
  for (const child of processes()) {
    // The name is in parentheses and may contain any character.
    const parent = Number(
      readOrEmpty(`/proc/${child}/stat`)
        .replace(/^.*\) /s, '')
        .split(' ')[1],
    );
    children.set(parent, [...(children.get(parent) ?? []), child]);
  }
  const found = [pid];
  for (const one of found) found.push(...(children.get(one) ?? []));
  return found;
}

function listeners(pids: ReadonlySet<number>): readonly Listener[] {
  const sockets = new Map<string, string>();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of readOrEmpty(table).split('\n').slice(1)) {
      const [, address = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
      if (state === LISTEN) sockets.set(`socket:[${inode}]`, address);
    }
  }
  return [...pids].flatMap((pid) =>
    openFiles(pid).flatMap((file) => {
      const address = sockets.get(file);
      return address === undefined ? [] : [{ pid, address }];
    }),
  );
}

function openFiles(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`);
      } catch {
        return 'closed meanwhile';
      }
    });
  } catch {
    return [];
  }
}

function processes(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
