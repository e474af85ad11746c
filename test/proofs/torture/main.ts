import { openSync, writeSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { inspect } from 'node:util';
import { FunctionError } from '../../../local/function-runtime.ts';
import { type Region, startRegion } from '../../../local/region.ts';
import type { LocalWorker } from '../../../local/region-options.ts';
import { createRunFolder } from '../../../local/run-folder.ts';
import { systemClock } from '../../../shared/adapters/system.ts';
import { seededEntropy } from '../../../shared/adapters/memory/seeded-entropy.ts';
import { baseLine } from '../../support/base-seed.ts';
import { runCommand } from '../../../scripts/command-line.ts';
import { audit } from './audit.ts';
import { type Blackouts, startBlackouts } from './blackouts.ts';
import { type Chaos, startChaos } from './chaos.ts';
import { drain } from './drain.ts';
import { gatherEvidence } from './evidence.ts';
import { type Machines, startMachines } from './machines.ts';
import { report, type Trouble } from './report.ts';
import { readTortureOptions, type TortureOptions, USAGE } from './torture-options.ts';
import { startTraffic, type Traffic } from './traffic.ts';

const RATE = 16;
const BLOW_EVERY_MS = 900;
const BLACKOUT_EVERY_MS = 2_000;
const LOOK_EVERY_MS = 50;
/** Few sandboxes for a small machine; those of four queues still meet. */
const SETTINGS = { maxConcurrency: 2 };

async function torture(options: TortureOptions): Promise<boolean> {
  const folder = resolve(createRunFolder(Date.now()));
  const trouble: Trouble = { 'timed-out': 0, 'sandbox-ended': 0, threw: 0 };
  const file = openSync(join(folder, 'functions.log'), 'a');
  const log = (line: string): void => void writeSync(file, `${new Date().toISOString()} ${line}\n`);
  const region = await startTorturedRegion(folder, log, trouble);
  const lastSeen = new Map<number, number>();
  const over = new AbortController();
  const machines = startMachines({ environment: { ...region.workerEnvironment('machine'), TORTURE_FOLDER: folder }, log });
  const looking = watchProcesses(() => [...region.sandboxes.map(({ pid }) => pid), ...machines.pids], lastSeen, over.signal);
  try {
    const startedAt = Date.now();
    process.stderr.write(`torture: ${options.seconds} s, ledgers and logs in ${folder}\n`);
    const { traffic, chaos, blackouts } = await wreakHavoc(region, { folder, log, machines }, options);
    const drainFrom = Date.now();
    const remains = await drain(region, folder, traffic.accepted);
    const drainMs = Date.now() - drainFrom;
    const evidence = gatherEvidence(remains, {
      folder,
      accepted: traffic.accepted,
      zombies: new Set([...chaos.zombies, ...blackouts.zombies]),
      lastSeen,
    });
    const violations = audit(evidence);
    return report({ options, folder, evidence, violations, traffic, chaos, blackouts, trouble, drainMs, ms: Date.now() - startedAt });
  } finally {
    over.abort();
    await looking;
    machines.stop();
    await region.stop(0);
  }
}

type Log = (line: string) => void;

async function startTorturedRegion(folder: string, log: Log, trouble: Trouble): Promise<Region> {
  const worker = (entry: string): LocalWorker => ({ entry: join(import.meta.dirname, entry), environment: { TORTURE_FOLDER: folder } });
  return startRegion({
    workers: { default: worker('worker.ts'), other: worker('other-worker.ts'), machine: { outside: true } },
    processes: true,
    history: 'durable',
    settings: SETTINGS,
    onLog: log,
    onProblem: (what, error) => {
      log(`${what}: ${inspect(error)}`);
      if (error instanceof FunctionError) trouble[error.kind] += 1;
    },
  });
}

/** Traffic and chaos, for as long as was asked. */
async function wreakHavoc(
  region: Region,
  { folder, log, machines }: { readonly folder: string; readonly log: Log; readonly machines: Machines },
  { seconds, base: { from } }: TortureOptions,
): Promise<{ readonly traffic: Traffic; readonly chaos: Chaos; readonly blackouts: Blackouts }> {
  const signal = AbortSignal.timeout(seconds * 1000);
  const traffic = startTraffic({ region, entropy: seededEntropy(from), rate: RATE, signal });
  const chaos = startChaos({ region, folder, log, entropy: seededEntropy(from + 1), everyMs: BLOW_EVERY_MS, signal });
  const blackouts = startBlackouts({ machines, folder, log, entropy: seededEntropy(from + 2), everyMs: BLACKOUT_EVERY_MS, signal });
  await Promise.all([traffic.done, chaos.done, blackouts.done]);
  return { traffic, chaos, blackouts };
}

/** A killed process writes no end, so its last sign of life is noted from outside. */
async function watchProcesses(pids: () => readonly number[], lastSeen: Map<number, number>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const now = Date.now();
    for (const pid of pids()) lastSeen.set(pid, now);
    await systemClock.wait(LOOK_EVERY_MS, signal);
  }
}

await runCommand(USAGE, async (args) => {
  const options = readTortureOptions(args);
  process.stdout.write(`${baseLine(options.base, 'torture', args)}\n`);
  return (await torture(options)) ? 0 : 1;
});
// Not only the exit code: whatever still hangs must not keep the process.
process.exit();
