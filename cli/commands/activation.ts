import type { Activation, ActivationStatus } from '../../shared/admin/activation.ts';
import type { Switching } from '../../shared/admin/audit-activation.ts';
import { defined } from '../../shared/core/defined.ts';
import type { Call } from '../call.ts';
import type { Command } from '../command.ts';
import { EXIT, UsageError } from '../exit.ts';
import type { OpenDeployment } from '../deployments/open-deployment.ts';
import { placeInWords, placeOf } from '../deployments/place-of.ts';
import { errorMessage } from '../text/error-message.ts';
import { plain } from '../text/plain.ts';
import { verbCommand } from '../verb-command.ts';

/** `nightcrew activate`: switches a deployment on. */
export const activateCommand = switching('activate', 'switches a deployment on: its event sources, then its ticks', async (activation) =>
  activation.activate(),
);

/** `nightcrew deactivate`: switches a deployment off. */
export const deactivateCommand = switching(
  'deactivate',
  'switches a deployment off: jobs that are enqueued wait, those that run end',
  async (activation) => activation.deactivate(),
);

function switching(name: 'activate' | 'deactivate', summary: string, act: (activation: Activation) => Promise<ActivationStatus>): Command {
  return verbCommand(name, summary, [
    {
      summary,
      flags: [
        { flags: '--status', doc: 'only shows whether it is active' },
        { flags: '--yes', doc: 'does not ask for confirmation, for scripts' },
        { flags: '--reason <text>', doc: 'why, for the audit' },
      ],
      changes: true,
      more: 'It needs a stack (--stack), or NIGHTCREW_ACTIVATION with the JSON of its output Activation. It leaves an entry in the audit; where these credentials may not write one (grantActivate alone does not let them), it says so.',
      run: async (call) => {
        const deployment = await call.deployment();
        const { environment, activation: targets } = deployment;
        if (targets === undefined) {
          throw new UsageError(
            'what switches this deployment is not known. Use --stack, or put the output Activation of its stack into NIGHTCREW_ACTIVATION.',
          );
        }
        const activation = await call.io.openActivation(targets, environment);
        if (call.on('status')) return tell(call, await activation.status(), undefined);
        if (name === 'deactivate') await confirm(call, deployment);
        return tell(call, await noted(call, deployment, { name, work: act(activation) }), name === 'activate');
      },
    },
  ]);
}

/** Writes down what was done, also when a part of it failed. An audit that cannot be written keeps nobody from switching. */
async function noted(
  call: Call,
  { admin }: OpenDeployment,
  { name, work }: { readonly name: Switching; readonly work: Promise<ActivationStatus> },
): Promise<ActivationStatus> {
  const reason = call.text('reason');
  const note = async (detail?: string): Promise<void> => {
    try {
      await admin.auditActivation(name, {
        actor: call.actor,
        ...defined({ reason, detail }),
      });
    } catch (error) {
      call.io.err(`This action is not in the audit: ${errorMessage(error)}\n`);
    }
  };
  try {
    const status = await work;
    await note();
    return status;
  } catch (error) {
    await note(error instanceof AggregateError ? error.message : 'failed');
    throw error;
  }
}

async function confirm(call: Call, { name, environment }: OpenDeployment): Promise<void> {
  if (call.on('yes')) return;
  const sentence = `No job of ${placeInWords(name, placeOf(environment))} will start any more until it is activated.`;
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
