import { ScriptedWorld } from '../../exhaustive/scripted-world.ts';
import type { Violation } from '../../simulation/check/violations.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** An executor died; a cancel comes between the look of the sweeper at its lease and the reset. */
export async function lateCancel(): Promise<readonly Violation[]> {
  const stage = new ScriptedWorld({
    settings: { executorTimeoutMs: 30_000, sweepSegments: 1 },
    chaos: () => ({
      faultOf: ({ role }, { op }) => (role === 'sweeper' && op === 'scan' ? 'stale-read' : undefined),
      latency: () => 2,
      pauseMs: () => 0,
      lateMs: () => 0,
    }),
  });
  const id = String(await stage.enqueue('usual', { workMs: 10 * SECOND }));
  await stage.until(() => stage.count('running') > 0);
  for (const process of stage.sandboxes.processes) process.kill();
  await stage.pass(MINUTE);
  void stage.sandboxes.sweep();
  await stage.pass(SECOND);
  await stage.asClient((client) => client.cancel(id));
  await stage.close();
  return stage.world.checks.violations.list;
}
