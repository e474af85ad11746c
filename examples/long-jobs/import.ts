import * as z from 'zod/mini';
import { complete, defineJob } from '../../shared/index.ts';
import { createTestKit } from '../../testing/index.ts';

/** Imports the rows of a file, which takes longer than one invocation lasts. */
export const importFile = defineJob('file.import', { payload: z.object({ rows: z.number() }) });

const State = z.object({ next: z.number(), sum: z.number() });
const ROW_MS = 2_000;

/** Imports a file with this many rows, shows its progress meanwhile, and waits for its result. */
export async function runImport(rows: number): Promise<readonly string[]> {
  const story: string[] = [];
  const kit = createTestKit([
    importFile.handle(async ({ payload, state, job, yieldIfNeeded, progress }) => {
      // The state of an earlier run comes from outside like a payload: read it with a schema.
      let { next, sum } = state === undefined ? { next: 0, sum: 0 } : z.parse(State, state);
      story.push(`run ${job.continuations + 1} of attempt ${job.attempt} begins at row ${next}`);
      for (; next < payload.rows; next++) {
        // Between steps that are shorter than the reserve: goes no further when the invocation is about to end.
        yieldIfNeeded({ next, sum });
        progress((100 * next) / payload.rows, `row ${next}`);
        sum += next;
        await kit.clock.advance(ROW_MS);
        if (next % 100 === 99) story.push(`seen from outside: ${JSON.stringify((await kit.job(job.id))?.progress)}`);
      }
      return complete({ result: { rows: payload.rows, sum }, keepResult: 'PT1H' });
    }),
  ]);
  const { id } = await kit.client.enqueue(importFile, { rows });
  await kit.drain();
  const ended = await kit.client.waitForResult<{ rows: number; sum: number }>(id, { timeout: 0 });
  story.push(ended.outcome === 'result' ? `${ended.result.rows} rows, sum ${ended.result.sum}` : ended.outcome);
  story.push(`attempts: ${(await kit.job(id))?.attempts}`);
  await kit.clock.advance(2 * 3_600_000);
  story.push(`two hours later: ${(await kit.client.waitForResult(id, { timeout: 0 })).outcome}`);
  return story;
}
