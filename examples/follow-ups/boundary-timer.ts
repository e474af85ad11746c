import * as z from 'zod/mini';
import { complete, defineJob, followUp } from '../../shared/index.ts';
import { createTestKit } from '../../testing/index.ts';

const request = z.object({ requestId: z.string() });

/** Asks somebody to approve a request, with a reminder and an escalation as its boundary timers. */
export const ask = defineJob('approval.ask', { payload: request });
/** An answer came: the approval goes on, and its timers end with it. */
export const answered = defineJob('approval.answered', { payload: request });
export const remind = defineJob('approval.remind', { payload: request });
/** Nobody answered in time: this takes the place of an answer. */
export const escalate = defineJob('approval.escalate', { payload: request });

/** One request that is answered after its reminder, and one that nobody answers. Returns what happened when. */
export async function runApprovals(): Promise<readonly string[]> {
  const story: string[] = [];
  const start = Date.UTC(2026, 0, 1);
  const tell = (what: string): void => void story.push(`${new Date(kit.clock.now() - start).toISOString().slice(11, 16)} ${what}`);
  const kit = createTestKit(
    [
      ask.handle(({ payload }) =>
        complete({
          enqueue: [
            followUp(remind, payload, { delay: 'PT2H', key: payload.requestId }),
            followUp(escalate, payload, { delay: 'PT8H', key: payload.requestId }),
          ],
        }),
      ),
      answered.handle(({ payload: { requestId } }) => {
        tell(`${requestId} is answered`);
        return complete({
          cancel: [
            { type: remind, key: requestId },
            { type: escalate, key: requestId, reason: 'answered in time' },
          ],
        });
      }),
      remind.handle(({ payload }) => tell(`${payload.requestId} reminds`)),
      escalate.handle(({ payload }) => tell(`${payload.requestId} escalates`)),
    ],
    { now: start },
  );
  await kit.client.enqueue(ask, { requestId: 'r-1' });
  await kit.client.enqueue(ask, { requestId: 'r-2' });
  await kit.drain();
  await kit.advance('PT3H');
  await kit.client.enqueue(answered, { requestId: 'r-1' });
  await kit.drain();
  const { jobs } = await kit.admin.list({ state: 'finished', type: 'approval.escalate' });
  for (const { outcome, cancelReason } of jobs) tell(`escalation of r-1: ${outcome}, ${cancelReason}`);
  await kit.advance('PT6H');
  return story;
}
