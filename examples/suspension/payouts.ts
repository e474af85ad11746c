import * as z from 'zod/mini';
import { defineJob } from '../../shared/index.ts';
import { createTestKit } from '../../testing/index.ts';

/** Sends money; needs the bank. */
export const sendPayout = defineJob('payout.send', { payload: z.object({ to: z.string() }) });
/** Sends mail; needs no bank. */
export const sendStatement = defineJob('statement.send', { payload: z.object({ to: z.string() }) });

/** A night on which the bank is down, as its operator sees it. */
export async function runBankOutage(): Promise<readonly string[]> {
  const story: string[] = [];
  const start = Date.parse('2026-01-01T00:00:00Z');
  const tell = (what: string): void => void story.push(`${new Date(kit.clock.now() - start).toISOString().slice(11, 19)} ${what}`);
  const kit = createTestKit([
    sendPayout.handle(({ payload, job }) => tell(`payout to ${payload.to}, attempt ${job.attempt}`)),
    sendStatement.handle(({ payload }) => tell(`statement to ${payload.to}`)),
  ]);
  const { admin, client } = kit;

  await admin.suspend({ type: 'payout.send' }, { reason: 'the bank is down', actor: 'anna', until: { for: 'PT8H' } });
  const ids = new Map<string, string>();
  for (const to of ['bert', 'carl', 'dora', 'emil', 'fred', 'gina']) {
    ids.set(to, (await client.enqueue(sendPayout, { to })).id);
    await kit.advance('PT1S');
  }
  await client.enqueue(sendStatement, { to: 'bert' });
  await kit.drain();
  const { suspended } = await admin.count({ type: 'payout.send' });
  tell(
    `${suspended} payouts are suspended: ${(await admin.suspensions()).map(({ scope, reason, actor }) => `${scope}, ${reason}, ${actor}`).join()}`,
  );

  // One cannot wait: it goes by another bank.
  tell(`dora: ${await admin.runNow(ids.get('dora') ?? '', { reason: 'rent is due' })}`);
  await kit.drain();
  // Another one looks odd, and stays suspended whatever ends meanwhile.
  tell(`emil: ${await admin.breakpoint(ids.get('emil') ?? '', { reason: 'is that his account?' })}`);

  // The bank is back, but slow: three a minute, the oldest first.
  await kit.advance('PT1H');
  tell(`payouts: ${await admin.resume({ type: 'payout.send' }, { ratePerSecond: 0.05, actor: 'anna' })}`);
  await kit.advance('PT5M');

  tell(`emil: ${await admin.resumeJob(ids.get('emil') ?? '')}`);
  await kit.drain();
  for (const { verb, actor, reason, scope } of (await admin.audit()).toReversed())
    story.push([verb, scope, actor, reason].filter((part) => part !== undefined).join(', '));
  return story;
}
