import { CloudFormationClient, DescribeStacksCommand, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient, paginateListTables } from '@aws-sdk/client-dynamodb';
import { LambdaClient, paginateListEventSourceMappings, paginateListFunctions } from '@aws-sdk/client-lambda';
import { paginateGetResources, ResourceGroupsTaggingAPIClient } from '@aws-sdk/client-resource-groups-tagging-api';
import { paginateListScheduleGroups, SchedulerClient } from '@aws-sdk/client-scheduler';
import { paginateListQueues, SQSClient } from '@aws-sdk/client-sqs';

/**
 * The resources of a stack in an account: by CloudFormation's tag, and by name, because not every emulator
 * tags everything. ARNs or names, sorted. Services forget late: a deleted resource may be listed for a while.
 */
export async function leftOver(stack: string): Promise<readonly string[]> {
  const found = await Promise.all([taggedWith(stack), tablesOf(stack), functionsOf(stack), queuesOf(stack), scheduleGroupsOf(stack)]);
  return [...new Set(found.flat())].toSorted();
}

/**
 * What is left of a stack that was destroyed: resources by name, and those of which CloudFormation does not say that they were deleted. Tags are
 * not asked for: the tagging API lists resources for a while after they were deleted, and AWS does not say how long.
 */
export async function notDestroyed(stack: string, stackId: string | undefined): Promise<readonly string[]> {
  const found = await Promise.all([notDeleted(stackId), tablesOf(stack), functionsOf(stack), queuesOf(stack), scheduleGroupsOf(stack)]);
  return [...new Set(found.flat())].toSorted();
}

/** The id of a stack, by which CloudFormation knows it for 90 days after it was deleted. Undefined if it does not exist. */
export async function stackIdOf(stack: string): Promise<string | undefined> {
  try {
    const { Stacks = [] } = await new CloudFormationClient({}).send(new DescribeStacksCommand({ StackName: stack }));
    return Stacks[0]?.StackId;
  } catch (error) {
    if (error instanceof Error && error.name === 'ValidationError') return undefined;
    throw error;
  }
}

/** Resources that CloudFormation kept, failed to delete, or has not deleted yet. */
async function notDeleted(stackId: string | undefined): Promise<readonly string[]> {
  if (stackId === undefined) return [];
  const pages = paginateListStackResources({ client: new CloudFormationClient({}) }, { StackName: stackId });
  return all(pages, (page) =>
    page.StackResourceSummaries?.filter(({ ResourceStatus }) => ResourceStatus !== 'DELETE_COMPLETE').map(
      ({ LogicalResourceId, PhysicalResourceId, ResourceStatus }) => `${ResourceStatus} ${LogicalResourceId} ${PhysicalResourceId ?? ''}`,
    ),
  );
}

async function taggedWith(stack: string): Promise<readonly string[]> {
  const TagFilters = [{ Key: 'aws:cloudformation:stack-name', Values: [stack] }];
  const pages = paginateGetResources({ client: new ResourceGroupsTaggingAPIClient({}) }, { TagFilters });
  return all(pages, (page) => page.ResourceTagMappingList?.map(({ ResourceARN }) => ResourceARN));
}

async function tablesOf(stack: string): Promise<readonly string[]> {
  const pages = paginateListTables({ client: new DynamoDBClient({}) }, {});
  return named('table', stack, await all(pages, (page) => page.TableNames));
}

async function functionsOf(stack: string): Promise<readonly string[]> {
  const client = new LambdaClient({});
  const functions = await all(paginateListFunctions({ client }, {}), (page) => page.Functions?.map(({ FunctionName }) => FunctionName));
  const sources = await all(paginateListEventSourceMappings({ client }, {}), (page) =>
    page.EventSourceMappings?.map(({ FunctionArn }) => FunctionArn?.split(':').at(6)),
  );
  return [...named('function', stack, functions), ...named('event source of', stack, sources)];
}

async function queuesOf(stack: string): Promise<readonly string[]> {
  const pages = paginateListQueues({ client: new SQSClient({}) }, { QueueNamePrefix: stack });
  return named('queue', stack, await all(pages, (page) => page.QueueUrls?.map((url) => url.split('/').at(-1))));
}

async function scheduleGroupsOf(stack: string): Promise<readonly string[]> {
  const pages = paginateListScheduleGroups({ client: new SchedulerClient({}) }, {});
  return named('schedule group', stack, await all(pages, (page) => page.ScheduleGroups?.map(({ Name }) => Name)));
}

function named(what: string, stack: string, names: readonly string[]): readonly string[] {
  return names.filter((name) => name.startsWith(stack)).map((name) => `${what} ${name}`);
}

async function all<Page>(
  pages: AsyncIterable<Page>,
  read: (page: Page) => readonly (string | undefined)[] | undefined,
): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const page of pages) found.push(...(read(page) ?? []).filter((one) => one !== undefined));
  return found;
}
