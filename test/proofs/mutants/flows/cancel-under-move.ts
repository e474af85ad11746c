import { ScriptedWorld } from '../../exhaustive/scripted-world.ts';
import type { Violation } from '../../simulation/check/violations.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** A cancel comes while a handler runs that then snoozes for longer than a message can wait, before anything looks at the row again. */
export async function cancelUnderMove(): Promise<readonly Violation[]> {
  const stage = new ScriptedWorld();
  const id = String(await stage.enqueue('usual', { kind: 'snoozing', workMs: 2 * SECOND, delayMs: 25 * MINUTE }));
  await stage.until(() => stage.count('running') > 0);
  await stage.pass(SECOND);
  await stage.asClient((client) => client.cancel(id));
  await stage.close();
  return stage.world.checks.violations.list;
}
