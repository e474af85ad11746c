import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench, BenchPlan } from '../frame/bench.ts';
import { interleave, type Rounds } from '../frame/interleave.ts';
import { compared, type Measurement, type Target } from '../frame/measurement.ts';
import { spreadOf } from '../frame/spread.ts';
import { type BuiltBundle, type BundleName, bundleFunctions, BUNDLES } from './bundle-functions.ts';
import { importBundle } from './import-bundle.ts';
import { FUNCTIONS, TARGETS } from './targets.ts';

/** Processes per bundle and round; a round's figure is their median. */
const SPAWNS = 3;
const PLAIN_CLIENTS = 'both SDK clients alone';
const LEAN_CLIENTS = 'both SDK clients alone, without the credential chain';
const PLAIN_FIGURES = ['bytes', 'gzip', 'init', 'cpu'] as const;
const LEAN_FIGURES = { bytes: 'bytesOverLean', 'import time': 'initOverLean', CPU: 'cpuOverLean' } as const;

type Times = Rounds<'init' | 'cpu', BundleName>;
type Bundles = Readonly<Record<BundleName, BuiltBundle>>;

/** How large the functions' bundles are and how long a fresh process takes to import them, against the two SDK clients alone. */
export const benchColdStart: Bench = {
  name: 'cold-start',
  figures: FUNCTIONS.flatMap((name) =>
    [...PLAIN_FIGURES, ...(BUNDLES[name].plain ? [] : Object.values(LEAN_FIGURES))].map((figure) => `cold-start.${name}.${figure}`),
  ),
  what: "size of each function's bundle and the time a fresh process takes to import it, against the two SDK clients alone",
  async run(plan) {
    const folder = mkdtempSync(join(tmpdir(), 'nightcrew-cold-start-'));
    const remove = (): void => rmSync(folder, { recursive: true, force: true });
    // A stopped process never reaches `finally`.
    process.once('exit', remove);
    try {
      const bundles = bundleFunctions(folder);
      const times = await importTimes(plan, bundles);
      const measurements = FUNCTIONS.flatMap((name) => measurementsOf(name, bundles, times));
      return {
        measurements,
        notes: [
          'Bundled with the options of a deployed stack without an event bus. The executor is that of the order service, with its handlers and zod/mini.',
          'The client and the two default SDK clients are bundled with the same options, but with the credential chain of the SDK, as users bundle them.',
          leanNote(measurements),
        ],
        details: { bundles: withoutPaths(bundles) },
      };
    } finally {
      process.removeListener('exit', remove);
      remove();
    }
  },
};

/** Removes the bundles' folder, which differs in each run. */
function withoutPaths(bundles: Bundles): Readonly<Record<string, Omit<BuiltBundle, 'file'>>> {
  return Object.fromEntries(Object.entries(bundles).map(([name, { bytes, gzipBytes, groups }]) => [name, { bytes, gzipBytes, groups }]));
}

/** The processes of all bundles take turns; those of a round make one figure. */
async function importTimes(plan: BenchPlan, bundles: Bundles): Promise<Times> {
  const spawns = plan.short ? 1 : SPAWNS;
  const names = Object.keys(BUNDLES) as BundleName[];
  const sides = Object.fromEntries(names.map((name) => [name, async () => importBundle(bundles[name].file)])) as Record<
    BundleName,
    () => ReturnType<typeof importBundle>
  >;
  const single = await interleave({ ...plan, rounds: plan.rounds * spawns }, sides, { from: 0, to: 1, label: 'process' });
  return Object.fromEntries(
    names.map((name) => [name, { init: medians(single[name].init, spawns), cpu: medians(single[name].cpu, spawns) }]),
  ) as Times;
}

function medians(values: readonly number[], size: number): readonly number[] {
  return Array.from({ length: values.length / size }, (_, round) => spreadOf(values.slice(round * size, (round + 1) * size)).median);
}

function measurementsOf(name: (typeof FUNCTIONS)[number], bundles: Bundles, times: Times): readonly Measurement[] {
  const target = (figure: 'bytes' | 'init'): { readonly target?: Target } => {
    const most = TARGETS[name]?.[figure];
    return most === undefined ? {} : { target: { at: 'most', value: most } };
  };
  const id = `cold-start.${name}`;
  const [ours, plain, lean] = [name, 'twoClients', 'twoClientsLean'] as const;
  const bytes = (figure: 'bytes' | 'gzipBytes') => [[bundles[ours][figure]], [bundles[plain][figure]]] as const;
  return [
    compared(
      { id: `${id}.bytes`, what: `${name}, bundle`, unit: 'bytes', baselineName: PLAIN_CLIENTS, ...target('bytes') },
      ...bytes('bytes'),
    ),
    compared({ id: `${id}.gzip`, what: `${name}, bundle as gzip`, unit: 'bytes', baselineName: PLAIN_CLIENTS }, ...bytes('gzipBytes')),
    compared(
      { id: `${id}.init`, what: `${name}, import`, unit: 'ms', baselineName: PLAIN_CLIENTS, ...target('init') },
      times[ours].init,
      times[plain].init,
    ),
    compared({ id: `${id}.cpu`, what: `${name}, import, CPU`, unit: 'ms', baselineName: PLAIN_CLIENTS }, times[ours].cpu, times[plain].cpu),
    ...(BUNDLES[name].plain
      ? []
      : [
          compared(
            { id: `${id}.bytesOverLean`, what: `${name}, bundle`, unit: 'bytes', baselineName: LEAN_CLIENTS },
            [bundles[ours].bytes],
            [bundles[lean].bytes],
          ),
          compared(
            { id: `${id}.initOverLean`, what: `${name}, import`, unit: 'ms', baselineName: LEAN_CLIENTS, ...leanTarget(name) },
            times[ours].init,
            times[lean].init,
          ),
          compared(
            { id: `${id}.cpuOverLean`, what: `${name}, import, CPU`, unit: 'ms', baselineName: LEAN_CLIENTS },
            times[ours].cpu,
            times[lean].cpu,
          ),
        ]),
  ];
}

/** The executor alone starts while a job waits. */
const leanTarget = (name: (typeof FUNCTIONS)[number]): { readonly target?: Target } =>
  name === 'executor' ? { target: { at: 'most', value: 1.2 } } : {};

/** The verdicts if the baseline also drops the SDK's credential chain. */
function leanNote(measurements: readonly Measurement[]): string {
  const ratio = (id: string): string => `${(measurements.find((one) => one.id === id)?.ratio?.median ?? Number.NaN).toFixed(2)}x`;
  const ours = FUNCTIONS.filter((name) => !BUNDLES[name].plain).map((name) => {
    const figures = Object.entries(LEAN_FIGURES).map(([what, id]) => `${ratio(`cold-start.${name}.${id}`)} ${what}`);
    return `${name} ${figures.join(', ')}`;
  });
  return `Most targets compare with the two default SDK clients, which include the SDK's credential chain; our bundles leave it out. Compared with two clients without it: ${ours.join('; ')}.`;
}
