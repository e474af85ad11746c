import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mapLimited } from '../../../../shared/job/map-limited.ts';
import { runJudge } from './judge/judge-process.ts';
import type { Covered } from './judge/orders.ts';
import { mutatedFiles, ROOT } from './mutants.ts';

const FOLDER = join(ROOT, 'node_modules', '.cache', 'nightcrew');
/** The mutants that a test may reach. */
const REACHED = ['shared', 'functions', 'operate', 'testing', 'test/support', 'local', 'cli', 'console', 'examples'];

interface CoveredFile {
  readonly file: string;
  readonly key: string;
  readonly tests: readonly Covered[];
}

/** Identifies versions of files. */
export const hashOf = (files: readonly string[]): string => {
  const hash = createHash('sha256');
  for (const file of files) hash.update(`${file}\0${readFileSync(join(ROOT, file), 'utf8')}\0`);
  return hash.digest('hex').slice(0, 16);
};

/** The inputs that determine the mutants. */
export const generatorFiles = (): readonly string[] =>
  globSync('test/proofs/mutants/generated/{change,mutants,schemata,switch,operators/*}.ts', { cwd: ROOT }).toSorted();

/** Changes with everything but its own text that determines a source with its switches. */
export const switchesKey = (): string =>
  createHash('sha256')
    .update(`${hashOf(generatorFiles())}${mutatedFiles().join()}`)
    .digest('hex')
    .slice(0, 16);

/** Changes with every source that has mutants or that a test may reach. */
export const sourcesKey = (): string =>
  hashOf(
    REACHED.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: ROOT }))
      .toSorted()
      .concat(generatorFiles()),
  );

/**
 * The mutants that each test reaches, cached if neither it nor a source has changed. `say` receives progress.
 */
export async function coverage(
  files: readonly string[],
  { processes, say }: { readonly processes: number; readonly say: (line: string) => void },
): Promise<readonly Covered[]> {
  mkdirSync(FOLDER, { recursive: true });
  const cache = join(FOLDER, `mutant-coverage-${sourcesKey()}.jsonl`);
  const keys = new Map(files.map((file) => [file, hashOf([file])]));
  const known = new Map<string, readonly Covered[]>();
  for (const line of existsSync(cache) ? readFileSync(cache, 'utf8').split('\n') : []) {
    const { file, key, tests } = JSON.parse(line === '' ? '{"file":"","key":"","tests":[]}' : line) as CoveredFile;
    if (keys.get(file) === key) known.set(file, tests);
  }
  const missing = files.filter((file) => !known.has(file));
  if (missing.length > 0) say(`looks at what ${missing.length} test files reach`);
  const shares = Array.from({ length: processes }, (_, share) => missing.filter((_file, index) => index % processes === share));
  await mapLimited(
    shares.filter((share) => share.length > 0),
    processes,
    (share) =>
      coverShare(share, (file, tests) => {
        known.set(file, tests);
        appendFileSync(cache, `${JSON.stringify({ file, key: keys.get(file) ?? '', tests } satisfies CoveredFile)}\n`);
      }),
  );
  return [...known.values()].flat();
}

async function coverShare(files: readonly string[], keep: (file: string, tests: readonly Covered[]) => void): Promise<void> {
  for (let left = files; left.length > 0;) {
    const tests = new Map<string, Covered[]>();
    let at: string | undefined;
    const end = await runJudge({ work: 'cover', files: left }, (line) => {
      if ('alive' in line) at = line.alive;
      if (!('covered' in line)) return;
      const file = fileOf(line.covered.test);
      for (const [done, those] of tests) {
        if (done === file) continue;
        keep(done, those);
        tests.delete(done);
      }
      tests.set(file, [...(tests.get(file) ?? []), line.covered]);
    });
    const last = at === undefined ? undefined : fileOf(at);
    if (last === undefined) throw new Error(`The fast tests could not be loaded: ${end.printed}`);
    for (const [done, those] of tests) keep(done, those);
    // A file that ends the process, or never ends, is left out from there on.
    const index = left.indexOf(last);
    if (end.code === 0 || index < 0) return;
    if (!tests.has(last)) keep(last, []);
    left = left.slice(index + 1);
  }
}

/** The file that the key of a test begins with. */
export const fileOf = (key: string): string => key.split(' > ', 1)[0] ?? key;
