/** A process that explores its share of every flow: `explore-share.ts <paired> <base> <share> <of> <flow>...`; sends a report for each. */
import { explore } from './explore.ts';
import { flowNamed } from './flows/flows.ts';

// Errors are expected here, and their stacks are not needed.
Error.stackTraceLimit = 0;
const [paired = 0, base = 1, share = 0, of = 1] = process.argv.slice(2, 6).map(Number);
for (const name of process.argv.slice(6)) process.send?.(await explore(flowNamed(name), { paired, base, share, of }));
process.disconnect?.();
