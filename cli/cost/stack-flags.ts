import { shown } from '../../shared/job/errors.ts';
import type { Call } from '../call.ts';
import { UsageError } from '../exit.ts';
import { errorMessage } from '../text/error-message.ts';
import type { Flag } from '../verb.ts';
import { type IdleParts, oneLane } from './idle-parts.ts';
import { partsOfTemplate } from './read-template.ts';

/** Which stack it is. */
export const STACK_FLAGS: readonly Flag[] = [
  {
    flags: '--template <file>',
    doc: 'a synthesized template, cdk.out/<stack>.template.json; default: one worker with one lane, default settings',
  },
  { flags: '--fifo', doc: 'the worker has groups, and so one more FIFO queue' },
  { flags: '--no-alarms', doc: 'without alarms' },
  { flags: '--no-dashboard', doc: 'without a dashboard' },
  { flags: '--no-metrics', doc: 'without custom metrics' },
  { flags: '--no-tracing', doc: 'without X-Ray' },
];

const LEAVES_OUT = ['alarms', 'dashboard', 'metrics', 'tracing'] as const;

/** The stack that the call is about. Throws UsageError when its template cannot be read, or when it is described twice. */
export async function partsOf(call: Call): Promise<IdleParts> {
  const file = call.text('template');
  if (file === undefined) {
    const off = Object.fromEntries(LEAVES_OUT.map((name) => [name, !call.off(name)]));
    return oneLane({ fifo: call.on('fifo'), ...off });
  }
  const besides = [...LEAVES_OUT.filter((name) => call.off(name)).map((name) => `--no-${name}`), ...(call.on('fifo') ? ['--fifo'] : [])];
  if (besides.length > 0) throw new UsageError(`--template describes the whole stack. Leave out ${besides.join(', ')}.`);
  try {
    return partsOfTemplate(JSON.parse(await call.io.readText(file)));
  } catch (error) {
    throw new UsageError(`--template ${shown(file)} is not a CloudFormation template in JSON: ${errorMessage(error)}.`);
  }
}
