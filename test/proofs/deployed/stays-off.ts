import type { Cdk } from './cdk.ts';
import { ended, given, type Walk } from './job-states.ts';
import { must } from './report.ts';

/** Longer than a tick of the Scheduler, and than executors remember the rules. */
const OFF_MS = 75_000;

/**
 * A deployment of the stack that changes its event sources switches them on again; the mark of the operator holds all the same. `redeploy` is such a deployment. What
 * the target's CloudFormation left off is switched on by hand, so that only the mark is in the way.
 */
export async function staysOff(walking: Walk, redeploy: Cdk): Promise<true> {
  const { operator, report, terms } = walking;
  const { activation, admin, jobs } = operator;
  const mappings = async (): Promise<readonly string[]> => Object.values((await activation.status()).eventSourceMappings);
  await activation.deactivate();
  await admin.switchDeployment('deactivate', { actor: 'proof', reason: 'a deployment must not switch it on' });
  try {
    await redeploy.deploy();
    const on = (await mappings()).filter((state) => state === 'Enabled').length;
    await activation.activate();
    report.note(`the deployment switched on ${on} of ${(await mappings()).length} event sources, and the proof the others and the ticks`);
    const since = await operator.lastHeartbeat('sweeper');
    const id = await order(walking, 'stays-off');
    await terms.clock.wait(OFF_MS, terms.stopping);
    must('the job of a deployment that was switched off', (await jobs.get(id))?.state, 'ready');
    must('the last run of the sweeper', await operator.lastHeartbeat('sweeper'), since);
    await admin.switchDeployment('activate', { actor: 'proof' });
    await ended(walking, await order(walking, 'on-again'), 'completed');
    // Its message was dropped: the sweeper would send it again minutes later.
    await admin.runNow(id, { actor: 'proof' });
    const { attempts } = await ended(walking, id, 'completed');
    must('attempts', attempts, 1);
  } finally {
    await admin.switchDeployment('activate', { actor: 'proof' });
    await activation.activate();
  }
  return true;
}

async function order({ operator, terms }: Walk, orderId: string): Promise<string> {
  // Executors remember for five seconds that the deployment was off.
  await terms.clock.wait(6_000, terms.stopping);
  const { jobs } = await operator.order({ action: 'place', orderId, customer: 'dora', amountCents: 700 });
  return given(jobs['invoice.render'], 'the invoice');
}
