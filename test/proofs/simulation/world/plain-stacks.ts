import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
/** Code that is the same on every machine; a test runner and Node itself are not. */
const OURS = /^(?:shared|functions|operate|test\/proofs\/simulation\/workload)\//;

/**
 * Runs `work` with stacks that say only where an error was thrown, by the path in the repository: rows keep stacks, and their length
 * must not depend on the folder of the checkout or on who runs the simulation.
 */
export async function withPlainStacks<Result>(work: () => Promise<Result>): Promise<Result> {
  const before = Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace');
  Error.prepareStackTrace = (error, sites) => {
    const places = sites.map((site) => ({ name: site.getFunctionName() ?? '<anonymous>', file: pathOf(site.getFileName() ?? '') }));
    const place = places.find(({ file }) => OURS.test(file));
    return `${error.name}: ${error.message}${place === undefined ? '' : `\n    at ${place.name} (${place.file})`}`;
  };
  try {
    return await work();
  } finally {
    Reflect.deleteProperty(Error, 'prepareStackTrace');
    if (before !== undefined) Object.defineProperty(Error, 'prepareStackTrace', before);
  }
}

function pathOf(file: string): string {
  const path = file.startsWith('file://') ? fileURLToPath(file) : file;
  return path.startsWith(`${ROOT}/`) ? path.slice(ROOT.length + 1) : path;
}
