import { describe, expect, test } from 'vitest';
import { importsOf, type SourceFile, sourceFiles } from './source-files.ts';

/** The files that each file imports, types included. */
type ImportGraph = ReadonlyMap<string, readonly string[]>;

function graphOf(files: readonly SourceFile[]): ImportGraph {
  const paths = new Set(files.map(({ path }) => path));
  return new Map(
    files.map((file) => {
      const targets = importsOf(file).map(({ target }) => target);
      return [file.path, [...new Set(targets)].filter((target) => paths.has(target))];
    }),
  );
}

/** Tarjan's algorithm: the sets of files that all reach each other. */
function components(graph: ImportGraph): readonly ReadonlySet<string>[] {
  const found: Set<string>[] = [];
  const order = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const visit = (file: string): number => {
    const own = order.size;
    let lowest = own;
    order.set(file, own);
    open.push(file);
    isOpen.add(file);
    for (const target of graph.get(file) ?? []) {
      const seen = order.get(target);
      if (seen === undefined) lowest = Math.min(lowest, visit(target));
      else if (isOpen.has(target)) lowest = Math.min(lowest, seen);
    }
    if (lowest === own) {
      const members = open.splice(open.indexOf(file));
      for (const member of members) isOpen.delete(member);
      found.push(new Set(members));
    }
    return lowest;
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return found;
}

/** The shortest way from a file back to itself over members of its component; undefined if there is none. */
function circleThrough(file: string, graph: ImportGraph, members: ReadonlySet<string>): readonly string[] | undefined {
  const reached = new Set<string>();
  for (let ways: readonly (readonly string[])[] = [[file]]; ways.length > 0;) {
    const longer: (readonly string[])[] = [];
    for (const way of ways) {
      for (const target of graph.get(way.at(-1) ?? '') ?? []) {
        if (target === file) return [...way, file];
        if (reached.has(target) || !members.has(target)) continue;
        reached.add(target);
        longer.push([...way, target]);
      }
    }
    ways = longer;
  }
  return undefined;
}

/** One line for each set of files that import each other: its shortest circle, and the number of its files. */
function circlesIn(files: readonly SourceFile[]): readonly string[] {
  const graph = graphOf(files);
  return components(graph).flatMap((members) => {
    const circles = [...members].toSorted().flatMap((file) => {
      const circle = circleThrough(file, graph, members);
      return circle === undefined ? [] : [circle];
    });
    const [shortest] = circles.toSorted((a, b) => a.length - b.length);
    return shortest === undefined ? [] : [`${shortest.join(' > ')} (of ${members.size})`];
  });
}

/** Folders that may import each other, with the reason. */
const PAIRS: Readonly<Record<string, string>> = {
  'shared/client shared/features/batches': 'a client makes batches, and a batch enqueues its jobs as a client does',
  'shared/features/batches shared/store': 'store/endings.ts is the registry of what features write when a job ends',
  'shared/features/error-groups shared/store': 'store/burials.ts is the registry of what features write when a job is buried',
  'shared/features/schedules shared/store': 'store/endings.ts',
};
/** How many folders deep a room lies: the features and the functions are rooms of their own. */
const DEPTHS: readonly (readonly [RegExp, number])[] = [
  [/^shared\/features\//, 3],
  [/^(shared|functions)\//, 2],
];

const roomOf = (path: string): string => {
  const folders = path.split('/').slice(0, -1);
  return folders.slice(0, DEPTHS.find(([place]) => place.test(path))?.[1] ?? 1).join('/');
};

/** The pairs of rooms of the product that import each other, types included. */
function pairsIn(files: readonly SourceFile[]): readonly string[] {
  const imports = new Set<string>();
  for (const [from, targets] of graphOf(files)) for (const to of targets) imports.add(`${roomOf(from)} ${roomOf(to)}`);
  return [...imports]
    .filter((one) => {
      const [from = '', to = ''] = one.split(' ');
      return from < to && imports.has(`${to} ${from}`);
    })
    .toSorted();
}

const file = (path: string, ...imports: readonly string[]): SourceFile => ({ path, text: `${imports.join('\n')}\n` });

describe('imports', () => {
  test('form no circle, types included', () => expect(circlesIn(sourceFiles())).toEqual([]));

  test('would be caught forming one', () => {
    const files = [
      file('shared/job/a.ts', "import { b } from './b.ts';"),
      file('shared/job/b.ts', "import type { C } from '../store/c.ts';", "import type { D } from './d.ts';"),
      file('shared/job/d.ts', "export * from './b.ts';"),
      file('shared/store/c.ts', "export type { A } from '../job/a.ts';"),
      file('cli/own.ts', "import { own } from './own.ts';"),
      file('cli/late.ts', "import { type A } from '../shared/job/a.ts';", "export { later } from './later.ts';"),
      file('cli/later.ts', "import type { Late } from './late.ts';"),
    ];
    expect(circlesIn(files)).toEqual([
      'shared/job/b.ts > shared/job/d.ts > shared/job/b.ts (of 4)',
      'cli/own.ts > cli/own.ts (of 1)',
      'cli/late.ts > cli/later.ts > cli/late.ts (of 2)',
    ]);
  });

  test('lead in one direction between two folders of the product, except for the listed pairs', () =>
    expect(pairsIn(sourceFiles().filter(({ path }) => !path.startsWith('test/')))).toEqual(Object.keys(PAIRS).toSorted()));

  test('of two folders that import each other would be caught', () => {
    const files = [
      file('cli/a.ts', "import '../operate/b.ts';"),
      file('operate/b.ts', "import '../shared/store/c.ts';"),
      file('operate/d.ts', "import '../cli/e.ts';"),
      file('cli/e.ts'),
      file('shared/store/c.ts', "import '../store/f.ts';"),
      file('shared/store/f.ts'),
    ];
    expect(pairsIn(files)).toEqual(['cli operate']);
  });

  test('that meet again are no circle', () => {
    const files = [
      file('infra/top.ts', "import './left.ts';", "import './right.ts';"),
      file('infra/left.ts', "import type { Bottom } from './bottom.ts';"),
      file('infra/right.ts', "import { bottom } from './bottom.ts';"),
      file('infra/bottom.ts'),
    ];
    expect(circlesIn(files)).toEqual([]);
  });
});
