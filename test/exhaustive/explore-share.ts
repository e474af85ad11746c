/** A process that explores its share of every flow: `explore-share.ts <share> <of> <first faults with a second> <flow>...`; sends a report for each. */
import { explore } from './explore.ts';
import { flowNamed } from './flows/flows.ts';

// Errors are part of the game here, and nobody reads their stacks.
Error.stackTraceLimit = 0;
const [share, of, paired, ...names] = process.argv.slice(2);
for (const name of names) process.send?.(await explore(flowNamed(name), Number(paired), { share: Number(share), of: Number(of) }));
process.disconnect?.();
