import type { Activation, ActivationStatus } from '../../operate/activation.ts';
import type { Switching } from '../../operate/switch-deployment.ts';
import { defined } from '../../shared/job/defined.ts';
import { REASON_FLAG } from '../common-flags.ts';
import type { Call } from '../call.ts';
import type { Command } from '../command.ts';
import { EXIT, UsageError } from '../exit.ts';
import type { OpenDeployment } from '../deployments/open-deployment.ts';
import { placeInWords, placeOf } from '../deployments/place-of.ts';
import { errorMessage } from '../text/error-message.ts';
import { plain } from '../text/plain.ts';
import { verbCommand } from '../verb-command.ts';

/** `nightcrew activate`: switches a deployment on. */
export const activateCommand = switching(
  'activate',
  'switches a deployment on: its event sources, then its ticks, unless these are rules',
  async (activation) => activation.activate(),
);

/** `nightcrew deactivate`: switches a deployment off. */
export const deactivateCommand = switching(
  'deactivate',
  'switches a deployment off: jobs wait, running ones finish; workers outside Lambda go on',
  async (activation) => activation.deactivate(),
);

function switching(name: 'activate' | 'deactivate', summary: string, act: (activation: Activation) => Promise<ActivationStatus>): Command {
  return verbCommand(name, summary, [
    {
      summary,
      flags: [
        { flags: '--status', doc: 'only shows whether it is active' },
        { flags: '--yes', doc: 'does not ask for confirmation, for scripts' },
        REASON_FLAG,
      ],
      changes: true,
      more: 'It needs a stack (--stack), or NIGHTCREW_ACTIVATION with the JSON of its output Activation. It also marks the deployment in its tables, with an entry in the audit, so that it stays off when a later deployment of the stack switches event sources or schedules on. Where these credentials may not write there (grantActivate alone does not let them), it says so.',
      run: async (call) => {
        const deployment = await call.deployment();
        const { environment, activation: targets } = deployment;
        if (targets === undefined) {
          throw new UsageError(
            'what switches this deployment is not known. Use --stack, or put the output Activation of its stack into NIGHTCREW_ACTIVATION.',
          );
        }
        const activation = await call.io.openActivation(targets, environment);
        if (call.on('status')) {
          await tellMark(call, deployment);
          return tell(call, await activation.status(), undefined);
        }
        if (name === 'deactivate') await confirm(call, deployment);
        return tell(call, await marked(call, deployment, { name, work: async () => act(activation) }), name === 'activate');
      },
    },
  ]);
}

/**
 * Marks the deployment, also after a partial failure: before it is switched on and after it is switched off, because executors drop the messages that they
 * receive while it is marked as off. If it cannot be marked, the switch still succeeds.
 */
async function marked(
  call: Call,
  { admin, activation: targets }: OpenDeployment,
  { name, work }: { readonly name: Switching; readonly work: () => Promise<ActivationStatus> },
): Promise<ActivationStatus> {
  const reason = call.text('reason');
  const mark = async (detail?: string): Promise<void> => {
    try {
      await admin.switchDeployment(name, {
        actor: call.actor,
        ...defined({ reason, detail }),
      });
    } catch (error) {
      const later = 'a later deployment of the stack may switch it on';
      // Ticks by rules are never disabled: only the mark stops them.
      const off = targets?.schedules.length === 0 ? `ticks go on, and ${later}` : later;
      const but = name === 'activate' ? 'a mark that switches it off still holds' : off;
      call.io.err(`This action is not in the audit, and ${but}: ${errorMessage(error)}\n`);
    }
  };
  try {
    if (name === 'activate') await mark();
    const status = await work();
    if (name === 'deactivate') await mark();
    return status;
  } catch (error) {
    await mark(error instanceof AggregateError ? error.message : 'failed');
    throw error;
  }
}

/** On stderr, so that `--json` keeps its form. */
async function tellMark(call: Call, { admin }: OpenDeployment): Promise<void> {
  const off = await admin.deploymentOff().catch(() => undefined);
  if (off === undefined) return;
  const why = off.reason === undefined ? '' : `: ${plain(off.reason)}`;
  call.io.err(`switched off by ${plain(off.actor)} at ${off.at.toISOString()}${why}\n`);
}

async function confirm(call: Call, { name, environment }: OpenDeployment): Promise<void> {
  if (call.on('yes')) return;
  const sentence = `No job of ${placeInWords(name, placeOf(environment))} will start in Lambda any more until it is activated.`;
  const answer = await call.io.ask(`${sentence} Type yes to go on: `);
  if (answer === undefined) throw new UsageError(`${sentence} There is no terminal to confirm it: use --yes.`);
  if (answer.trim() !== 'yes') throw new UsageError('the answer was not yes. Nothing was changed.');
}

/** Fails when something is not as it was wanted. */
function tell(call: Call, status: ActivationStatus, wanted: boolean | undefined): number {
  const all = [...Object.entries(status.schedules), ...Object.entries(status.eventSourceMappings)];
  const isOn = (state: string): boolean => state.toUpperCase() === 'ENABLED';
  if (call.show.json) call.show.data(status);
  for (const [target, state] of call.show.json ? [] : all) {
    call.show.line(`${plain(target)}  ${call.show.paint(isOn(state) ? 'good' : 'warn', plain(state))}`);
  }
  return wanted === undefined || all.every(([, state]) => isOn(state) === wanted) ? EXIT.done : EXIT.failed;
}
