import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { runInThisContext } from 'node:vm';
import { gunzipSync } from 'node:zlib';
import { createAcquirer } from '../../functions/acquirer/create-acquirer.ts';
import { createExecutor } from '../../functions/executor/create-executor.ts';
import { createSweeper } from '../../functions/sweeper/create-sweeper.ts';
import { createAdmin } from '../../operate/index.ts';
import * as main from '../../shared/index.ts';
import type { BundleOrigin } from './build-bundle.ts';

/** What a release gives its users, and its functions. An earlier release lacks some of it: its tests use what it has. */
export type ReleaseCode = typeof main & {
  readonly createExecutor: typeof createExecutor;
  readonly createAcquirer: typeof createAcquirer;
  readonly createSweeper: typeof createSweeper;
  readonly createAdmin: typeof createAdmin;
};

/** A bundle of an earlier release, with where it comes from. */
export interface KeptRelease {
  readonly origin: BundleOrigin;
  /** The bundle as it was built. */
  readonly source: Buffer;
  /** Loads it anew. */
  readonly load: () => ReleaseCode;
}

/** Files of a kept release: `json` says where it comes from, `cjs.gz` is its code. */
export const releaseFile = (commit: string, kind: 'json' | 'cjs.gz'): URL => new URL(`kept/${commit.slice(0, 8)}.${kind}`, import.meta.url);

/** All kept releases. */
export function keptReleases(): readonly KeptRelease[] {
  const files = readdirSync(new URL('kept/', import.meta.url)).filter((file) => file.endsWith('.json'));
  return files.map((file) => {
    const origin = JSON.parse(readFileSync(new URL(`kept/${file}`, import.meta.url), 'utf8')) as BundleOrigin;
    const source = gunzipSync(readFileSync(releaseFile(origin.commit, 'cjs.gz')));
    return { origin, source, load: () => evaluate(source.toString()) };
  });
}

/** Runs a CommonJS bundle in this realm; its packages are those of the repository. */
function evaluate(source: string): ReleaseCode {
  const module = { exports: {} };
  const run = runInThisContext(`(function (module, exports, require) {${source}\n})`) as (...args: readonly unknown[]) => void;
  run(module, module.exports, createRequire(import.meta.url));
  return module.exports as ReleaseCode;
}

/** The code of today, as a release. */
export const today: ReleaseCode = { ...main, createExecutor, createAcquirer, createSweeper, createAdmin };
