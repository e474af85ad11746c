import { ScriptedWorld } from '../../exhaustive/scripted-world.ts';
import type { Violation } from '../../simulation/check/violations.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A job with a key for one minute is cancelled when another job has that key. */
export async function keyOutlived(): Promise<readonly Violation[]> {
  const stage = new ScriptedWorld();
  const first = String(await stage.enqueue('usual', {}, { key: { value: 'k', for: MINUTE }, delay: HOUR }));
  await stage.pass(2 * MINUTE);
  await stage.enqueue('usual', {}, { key: 'k', delay: HOUR });
  await stage.asClient((client) => client.cancel(first));
  await stage.close();
  return stage.world.checks.violations.list;
}
