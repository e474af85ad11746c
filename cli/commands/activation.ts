import type { Activation, ActivationStatus } from '../../shared/admin/activation.ts';
import type { Call } from '../call.ts';
import { type Command, EXIT, UsageError } from '../command.ts';
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
        { flags: '--status', doc: 'only tells how it is switched' },
        { flags: '--yes', doc: 'goes on without asking, for scripts' },
      ],
      changes: true,
      more: 'It needs a stack (--stack), or NIGHTCREW_ACTIVATION with the JSON of its output Activation.',
      run: async (call) => {
        const { name: deployment, environment, activation: targets } = await call.deployment();
        if (targets === undefined) {
          throw new UsageError(
            'what switches this deployment is not known. Use --stack, or put the output Activation of its stack into NIGHTCREW_ACTIVATION.',
          );
        }
        const activation = await call.io.openActivation(targets, environment);
        if (call.on('status')) return tell(call, await activation.status(), undefined);
        if (name === 'deactivate') await confirm(call, deployment);
        return tell(call, await act(activation), name === 'activate');
      },
    },
  ]);
}

async function confirm(call: Call, deployment: string): Promise<void> {
  if (call.on('yes')) return;
  const sentence = `No job of ${deployment} will start any more until it is activated.`;
  const answer = await call.io.ask(`${sentence} Type yes to go on: `);
  if (answer === undefined) throw new UsageError(`${sentence} Nobody is there to confirm it: use --yes.`);
  if (answer.trim() !== 'yes') throw new UsageError('that is not yes. Nothing was changed.');
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
