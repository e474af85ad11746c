import { Session } from 'node:inspector/promises';
import type { Profiler } from 'node:inspector';

/** Share of the samples by location of the code; without idle ones, largest first. */
export type ProfileShares = Readonly<Record<string, number>>;

const SAMPLE_EVERY_US = 250;

/** Profiles `work` in this process. */
export async function profiled(work: () => Promise<void>): Promise<ProfileShares> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_EVERY_US });
    await session.post('Profiler.start');
    await work();
    const { profile } = await session.post('Profiler.stop');
    return sharesOf(profile);
  } finally {
    session.disconnect();
  }
}

/** Each group's part of the samples that were not idle, rounded to a tenth of a percent. Counted, not timed: a busy machine stretches the time between two of them. */
export function sharesOf({ nodes, samples = [] }: Pick<Profiler.Profile, 'nodes' | 'samples'>): ProfileShares {
  const groups = new Map(nodes.map(({ id, callFrame }) => [id, groupOf(callFrame)]));
  const sums = new Map<string, number>();
  for (const group of samples.map((id) => groups.get(id) ?? 'other')) {
    if (group !== 'idle') sums.set(group, (sums.get(group) ?? 0) + 1);
  }
  const total = [...sums.values()].reduce((sum, one) => sum + one, 0);
  const shares = [...sums].map(([group, count]): [string, number] => [group, Math.round((count / total) * 1000) / 1000]);
  return Object.fromEntries(shares.toSorted(([, a], [, b]) => b - a));
}

const ENGINE: ReadonlyMap<string, string> = new Map([
  ['(idle)', 'idle'],
  ['(garbage collector)', 'garbage collector'],
  ['(program)', 'engine and system calls'],
]);

/** The location of a function: the SDK, Node, one of our folders, a library, or the bench itself. */
function groupOf({ functionName, url }: Pick<Profiler.Profile['nodes'][number]['callFrame'], 'functionName' | 'url'>): string {
  const engine = ENGINE.get(functionName);
  if (engine !== undefined) return engine;
  const library = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (library !== undefined) return /^@(aws-sdk|aws|smithy|aws-crypto)\//.test(library) ? 'AWS SDK' : library;
  if (/^node:(internal\/)?(_?http|net|stream|buffer|_?tls|timers)/.test(url)) return 'node: http';
  if (url.startsWith('node:')) return 'node: other';
  const ours = /\/(?:shared|functions)\/([^/]+)\//.exec(url)?.[1];
  if (ours !== undefined) return `nightcrew/${ours}`;
  return url === '' ? 'engine and system calls' : 'bench';
}
