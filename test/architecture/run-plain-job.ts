import { type Profiler, Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';
import { defineJob } from '../../shared/job/job-type.ts';
import type { ReceivedHint } from '../../shared/ports/hints.ts';
import type { Tables, WriteOutcome } from '../../shared/ports/tables.ts';
import { anyPayload, Rig } from '../support/rig.ts';

/*
 * Runs one plain job, and prints as JSON which files of the product have a function called, and the product's frames at the write that
 * completes the job, the innermost first. A program of its own, because Vitest adds functions to the modules that it loads.
 */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const render = defineJob('invoice.render', { payload: anyPayload });
const rig = new Rig({ handlers: [render.handle(() => undefined)] });

async function messageOfNewJob(): Promise<readonly ReceivedHint[]> {
  await rig.client.enqueue(render, { invoiceId: 'i1' });
  return rig.queues.flatMap((queue) => rig.hints.receive(queue, 1));
}

const execute = async (messages: readonly ReceivedHint[], tables: Tables): Promise<unknown> =>
  rig.execute(messages, { ...rig.deps, tables });

/** The path from the root of a file of the product, adapters left out. */
function productPath(url: string): string | undefined {
  const path = url.startsWith('file:') ? fileURLToPath(url) : '';
  const inside = path.startsWith(ROOT) ? path.slice(ROOT.length).replaceAll('\\', '/') : '';
  return /^(functions|shared)\/(?!adapters\/)/.test(inside) ? inside : undefined;
}

function productFrames(): readonly string[] {
  return (new Error('the stack').stack ?? '').split('\n').flatMap((line) => {
    const [, name = 'a function without a name', url = ''] = /at (?:async )?(?:(.+) \()?(file:.+?):\d+:\d+\)?$/.exec(line) ?? [];
    const path = productPath(url);
    return path === undefined ? [] : [`${name} (${path})`];
  });
}

/** A module counts as a function that begins where its file does. */
const isCalled = ({ ranges: [whole] }: Profiler.FunctionCoverage): boolean =>
  whole !== undefined && whole.startOffset > 0 && whole.count > 0;

async function filesEntered(work: () => Promise<unknown>): Promise<readonly string[]> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  return result.flatMap(({ url, functions }) => (functions.some(isCalled) ? (productPath(url) ?? []) : [])).toSorted();
}

Error.stackTraceLimit = 100;
let frames: readonly string[] = [];
const answers: WriteOutcome[] = [];
// The first job loads what is loaded on demand, and fills the cache of the rules.
await execute(await messageOfNewJob(), rig.tables);
await execute(await messageOfNewJob(), {
  ...rig.tables,
  write: async (write) => {
    if (write.op === 'delete') frames = productFrames();
    const answer = await rig.tables.write(write);
    answers.push(answer);
    return answer;
  },
});
// The tables in memory call the product, too: the third job gets the answers of the second.
const replayed: Tables = {
  ...rig.tables,
  write: async () => answers.shift() ?? { applied: false, attempts: 1 },
  putAll: async () => [],
};
const messages = await messageOfNewJob();
const files = await filesEntered(() => execute(messages, replayed));
process.stdout.write(JSON.stringify({ files, frames }, undefined, 2));
