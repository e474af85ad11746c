import { CloudFormationClient, CreateStackCommand, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import type { Clock } from '../../../shared/ports/clock.ts';
import { EMULATOR_ACCESS } from '../../support/emulator-access.ts';
import type { Template } from './deployable-part.ts';

const DEPLOY_MS = 60_000;
const LOOK_EVERY_MS = 250;

/** The template and its target. */
export interface Deployment {
  readonly endpoint: string;
  readonly stack: string;
  readonly template: Template;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Creates a stack through an emulator's CloudFormation and gives back its outputs by name. Throws with the reason when it fails. */
export async function deployTemplate(
  { endpoint, stack, template, parameters }: Deployment,
  clock: Clock,
): Promise<Readonly<Record<string, string>>> {
  const client = new CloudFormationClient({ ...EMULATOR_ACCESS, endpoint });
  try {
    await client.send(
      new CreateStackCommand({
        StackName: stack,
        TemplateBody: JSON.stringify(template),
        Parameters: Object.entries(parameters).map(([ParameterKey, ParameterValue]) => ({ ParameterKey, ParameterValue })),
      }),
    );
    return await outputsOf(client, stack, clock);
  } finally {
    client.destroy();
  }
}

async function outputsOf(client: CloudFormationClient, stack: string, clock: Clock): Promise<Readonly<Record<string, string>>> {
  const deadline = clock.now() + DEPLOY_MS;
  for (;;) {
    const { Stacks: [found] = [] } = await client.send(new DescribeStacksCommand({ StackName: stack }));
    const status: string = found?.StackStatus ?? 'gone';
    if (status === 'CREATE_COMPLETE') {
      return Object.fromEntries((found?.Outputs ?? []).map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]));
    }
    if (status !== 'CREATE_IN_PROGRESS' || clock.now() > deadline) {
      throw new Error(`stack ${stack} is ${status}: ${found?.StackStatusReason ?? 'no reason is given'}`);
    }
    await clock.wait(LOOK_EVERY_MS);
  }
}
