import { Worker } from 'node:worker_threads';

/** Looks from another thread whether an input hangs: one that never gives the thread back cannot be timed from within. */
export interface Watchdog {
  /** Sets the message for an input that hangs: how to repeat it. */
  readonly watch: (command: string) => void;
  /** An input begins. */
  readonly tick: () => void;
  readonly stop: () => Promise<void>;
}

const LOOK = `
const { workerData, parentPort } = require('node:worker_threads');
const { writeSync } = require('node:fs');
const ticks = new Int32Array(workerData.shared);
let [last, command] = [-1, ''];
parentPort.on('message', (message) => { command = message; });
setInterval(() => {
  if (ticks[0] === last && command !== '') {
    writeSync(2, 'fuzz: an input has been under way for ' + workerData.patienceMs / 1000 + ' s and does not end. Repeat with: ' + command + '\\n');
    process.kill(process.pid, 'SIGKILL');
  }
  last = ticks[0];
}, workerData.patienceMs);
`;

/** Starts a watchdog that ends the process, with the command to repeat, when one input takes longer than `patienceMs`. */
export function startWatchdog(patienceMs: number): Watchdog {
  const shared = new SharedArrayBuffer(4);
  const ticks = new Int32Array(shared);
  const worker = new Worker(LOOK, { eval: true, workerData: { shared, patienceMs } });
  worker.unref();
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
    watch: (command) => worker.postMessage(command),
    tick: () => void Atomics.add(ticks, 0, 1),
    stop: async () => void (await worker.terminate()),
  };
}
