import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { bundleEntry } from '../infra/esbuild-bundle.ts';
import { defined } from '../shared/job/defined.ts';
import { type ChildProcessRuntime, createChildProcessRuntime } from './child-process-runtime.ts';
import type { FunctionRuntime, FunctionSpec } from './function-runtime.ts';
import type { Environment } from './region-options.ts';
import type { SandboxView } from './sandbox-process.ts';
import { createSharedProcessRuntime } from './shared-process-runtime.ts';

/** A function of the region with what each way of running it needs. */
export interface PlacedFunction extends Omit<FunctionSpec, 'create'> {
  /** For a shared process. */
  readonly create?: FunctionSpec['create'];
  /** For processes of its own: the file that exports `handler`. */
  readonly entry?: string;
  readonly environment: Environment;
  /** Whether its bundle lets CommonJS packages call `require`, as a user's does. */
  readonly banner: boolean;
  /** Files next to its bundle, by name. */
  readonly beside?: Readonly<Record<string, string>>;
}

/** Where the functions of a region run. */
export interface FunctionPlacement {
  /** Throws for a function that has nothing to run in this way. */
  start(fn: PlacedFunction): FunctionRuntime;
  readonly sandboxes: readonly SandboxView[];
  stop(): Promise<void>;
}

/** All functions in this process: quick to start, and handlers can be handed in. */
export function sharedProcess(): FunctionPlacement {
  return {
    start({ create, ...fn }) {
      if (create === undefined) throw new Error(`${fn.name} has no createExecutor, which it needs in a shared process.`);
      return createSharedProcessRuntime({ ...fn, create });
    },
    sandboxes: [],
    stop: async () => {},
  };
}

/** Each function bundled as the stack bundles it, in processes of its own. `log` receives their output. */
export function separateProcesses(log?: (line: string) => void): FunctionPlacement {
  const bundles = mkdtempSync(join(tmpdir(), 'nightcrew-bundles-'));
  const runtimes: ChildProcessRuntime[] = [];
  return {
    start({ name, memoryMb, environment, entry, banner, beside = {} }) {
      if (entry === undefined) throw new Error(`${name} has no entry, which it needs in processes of its own.`);
      const codeFolder = join(bundles, name);
      bundleEntry(resolve(entry), codeFolder, banner);
      for (const [file, text] of Object.entries(beside)) writeFileSync(join(codeFolder, file), text);
      const runtime = createChildProcessRuntime({ name, memoryMb, codeFolder, environment, ...defined({ log }) });
      runtimes.push(runtime);
      return runtime;
    },
    get sandboxes() {
      return runtimes.flatMap((runtime) => runtime.sandboxes);
    },
    async stop() {
      await Promise.all(runtimes.map((runtime) => runtime.stop()));
      rmSync(bundles, { recursive: true, force: true });
    },
  };
}
