import { ScriptedWorld } from '../../exhaustive/scripted-world.ts';
import type { Violation } from '../../simulation/check/violations.ts';

const MINUTE = 60_000;

/** A roll-back: the executors do not know the type of a ready job, until they are rolled forward again. */
export async function rollBack(): Promise<readonly Violation[]> {
  const stage = new ScriptedWorld();
  stage.deploy(1);
  await stage.enqueue('later', {});
  await stage.pass(2 * MINUTE);
  stage.deploy(2);
  await stage.close();
  return stage.world.checks.violations.list;
}
