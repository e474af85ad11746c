/** A process with one frozen and one busy sandbox, which a test kills. Arguments: folder of the bundle. Prints the sandboxes' ids. */
import { createChildProcessRuntime } from '../../../local/child-process-runtime.ts';

const [codeFolder = ''] = process.argv.slice(2);
const runtime = createChildProcessRuntime({ name: 'f', memoryMb: 128, codeFolder, environment: {} });
const timeoutMs = 60_000;
await Promise.all([runtime.invoke({ do: 'meet', ms: 200 }, { timeoutMs }), runtime.invoke({ do: 'meet', ms: 200 }, { timeoutMs })]);
void runtime.invoke({ do: 'spin' }, { timeoutMs });
process.stdout.write(`${JSON.stringify(runtime.sandboxes.map(({ pid }) => pid))}\n`);
