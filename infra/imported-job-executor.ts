import { Arn, ArnFormat, Stack, Token, TokenComparison } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { refuse } from '../shared/config/deployment-checks.ts';
import { defined } from '../shared/job/defined.ts';
import { checkLanes } from '../shared/job/lanes.ts';
import { checkAttributes } from './attributes-checks.ts';
import type { JobExecutorAttributes } from './attributes.ts';
import { JobExecutorBase } from './job-executor-base.ts';
import { keyReferences } from './key-references.ts';
import type { DeploymentReferences, QueueReference } from './references.ts';
import { checkModes } from './props-checks.ts';
import { checkedSettings, settingValues } from './settings.ts';
import { checkFormerNames } from './worker-checks.ts';

/** A job executor that lives elsewhere, in the Region of the functions that are connected to it. In another account, that one has to grant it too. */
export class ImportedJobExecutor extends JobExecutorBase {
  protected readonly references: DeploymentReferences;

  constructor(scope: Construct, id: string, attributes: JobExecutorAttributes) {
    super(scope, id);
    checkAttributes(attributes);
    const settings = settingValues(attributes.settings);
    checkedSettings(settings);
    checkModes(attributes);
    checkFormerNames(attributes.workers);
    for (const [worker, { laneQueueArns, laneFrom = {} }] of Object.entries(attributes.workers)) {
      checkLanes({ lanes: laneQueueArns, from: laneFrom }, `workers.${worker}`);
    }
    this.references = {
      name: attributes.deploymentName,
      tables: Object.fromEntries(
        Object.entries(attributes.tableArns).map(([name, arn]) => [name, { arn, name: this.#tableName(arn, `tableArns.${name}`) }]),
      ) as DeploymentReferences['tables'],
      workers: Object.fromEntries(
        Object.entries(attributes.workers).map(([worker, { laneQueueArns, laneFrom, priority, formerly, fifoQueueArn }]) => [
          worker,
          {
            lanes: Object.fromEntries(
              Object.entries(laneQueueArns).map(([lane, arn]) => [lane, this.#queue(`workers.${worker}.laneQueueArns.${lane}`, arn)]),
            ),
            ...defined({ from: laneFrom, priority, formerly }),
            ...(fifoQueueArn === undefined ? {} : { fifo: this.#queue(`workers.${worker}.fifoQueueArn`, fifoQueueArn) }),
          },
        ]),
      ),
      settings,
      keys: keyReferences(this, attributes.encryptionKeyArn, {
        tableKeyArns: attributes.tableKeyArns,
        payloads: attributes.payloadBucketArn !== undefined,
      }),
      ...defined({
        history: attributes.history,
        metrics: attributes.metrics,
        events: attributes.events,
        payloads: bucketOf(attributes.payloadBucketArn),
      }),
    };
  }

  /**
   * A table of another account is named by its ARN, which DynamoDB takes in place of a name
   * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/rbac-cross-account-access.html). So is one of which this stack does not
   * know whether it is its own account's.
   */
  #tableName(arn: string, field: string): string {
    const { account } = Stack.of(this);
    const { account: owner, region: place, resourceName = '' } = part(arn, ArnFormat.SLASH_RESOURCE_NAME);
    this.#checkRegion(field, arn, place);
    if (Token.isUnresolved(arn)) return resourceName;
    return owner === account ? resourceName : arn;
  }

  #checkRegion(field: string, arn: string, place: string | undefined): void {
    const { region } = Stack.of(this);
    if (Token.compareStrings(place ?? region, region) !== TokenComparison.DIFFERENT) return;
    refuse(field, `${arn} is in ${place}, and this stack is in ${region}. Functions reach tables and queues of their own Region only.`);
  }

  #queue(field: string, arn: string): QueueReference {
    const { region, account, resource } = part(arn, ArnFormat.NO_RESOURCE_NAME);
    this.#checkRegion(field, arn, region);
    return { arn, url: `https://sqs.${region}.${Stack.of(this).urlSuffix}/${account}/${resource}` };
  }
}

function part(arn: string, format: ArnFormat) {
  return Arn.split(arn, format);
}

function bucketOf(arn: string | undefined): DeploymentReferences['payloads'] {
  if (arn === undefined) return undefined;
  return { arn, name: part(arn, ArnFormat.NO_RESOURCE_NAME).resource, objectsArn: `${arn}/*` };
}
