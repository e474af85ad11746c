import { Token } from 'aws-cdk-lib';
import { checkWorkerNames, refuse, shownValue } from '../shared/config/deployment-checks.ts';
import { knownNames } from '../shared/job/closest-name.ts';
import { TABLE_NAMES } from '../shared/ports/table-spec.ts';
import type { JobExecutorAttributes, WorkerAttributes } from './attributes.ts';
import { isRecord } from './option-checks.ts';

/** What an ARN names. */
interface Named {
  readonly what: 'table' | 'queue' | 'key' | 'bucket';
  readonly example: string;
}

const TABLE: Named = { what: 'table', example: 'arn:aws:dynamodb:eu-west-1:123456789012:table/NAME' };
const QUEUE: Named = { what: 'queue', example: 'arn:aws:sqs:eu-west-1:123456789012:NAME' };
const KEY: Named = { what: 'key', example: 'arn:aws:kms:eu-west-1:123456789012:key/ID' };
const BUCKET: Named = { what: 'bucket', example: 'arn:aws:s3:::NAME' };
const PATTERNS: Readonly<Record<Named['what'], RegExp>> = {
  table: /^arn:[^:]+:dynamodb:[^:]+:\d+:table\/[^/]+$/,
  queue: /^arn:[^:]+:sqs:[^:]+:\d+:[^:/]+$/,
  bucket: /^arn:[^:]+:s3:::[^/:]+$/,
  key: /^arn:[^:]+:kms:[^:]+:\d+:key\/.+$/,
};

const ATTRIBUTES: Readonly<Record<keyof JobExecutorAttributes, true>> = {
  deploymentName: true,
  tableArns: true,
  workers: true,
  settings: true,
  history: true,
  metrics: true,
  events: true,
  payloadBucketArn: true,
  encryptionKeyArn: true,
  tableKeyArns: true,
};
const WORKER_ATTRIBUTES: Readonly<Record<keyof WorkerAttributes, true>> = {
  laneQueueArns: true,
  laneFrom: true,
  priority: true,
  formerly: true,
  fifoQueueArn: true,
};
const EVENT_ATTRIBUTES: Readonly<Record<keyof NonNullable<JobExecutorAttributes['events']>, true>> = { log: true, on: true };

/** Refuses attributes that are missing or name something else: apps in JavaScript have no types that would. */
export function checkAttributes(attributes: JobExecutorAttributes): void {
  checkObject('attributes', attributes, ATTRIBUTES);
  const { deploymentName, tableArns, workers, payloadBucketArn, encryptionKeyArn, tableKeyArns = [] } = attributes;
  if (typeof deploymentName !== 'string' || deploymentName === '') {
    refuse('deploymentName', `${shownValue(deploymentName)} is no name. Give that of the deployment: jobs.deploymentName.`);
  }
  checkObject('tableArns', tableArns);
  for (const name of TABLE_NAMES) {
    if (!tableArns[name]) refuse(`tableArns.${name}`, `is missing. Give the ARN of each of: ${TABLE_NAMES.join(', ')}.`);
    checkArn(`tableArns.${name}`, tableArns[name], TABLE);
  }
  const other = Object.keys(tableArns).find((name) => !(TABLE_NAMES as readonly string[]).includes(name));
  if (other !== undefined) refuse(`tableArns.${other}`, `is no table of a deployment. ${knownNames(other, TABLE_NAMES)}`);
  checkObject('workers', workers);
  checkWorkerNames(Object.keys(workers), []);
  for (const [worker, queues] of Object.entries(workers)) checkQueues(`workers.${worker}`, queues);
  if (attributes.events !== undefined) checkObject('events', attributes.events, EVENT_ATTRIBUTES);
  if (payloadBucketArn !== undefined) checkArn('payloadBucketArn', payloadBucketArn, BUCKET);
  if (encryptionKeyArn !== undefined) checkArn('encryptionKeyArn', encryptionKeyArn, KEY);
  if (!Array.isArray(tableKeyArns)) refuse('tableKeyArns', `${shownValue(tableKeyArns)} is no list. Use [arn].`);
  for (const [place, arn] of tableKeyArns.entries()) checkArn(`tableKeyArns[${place}]`, arn, KEY);
}

function checkQueues(field: string, queues: WorkerAttributes): void {
  checkObject(field, queues, WORKER_ATTRIBUTES);
  const { laneQueueArns, fifoQueueArn } = queues;
  checkObject(`${field}.laneQueueArns`, laneQueueArns);
  if (Object.keys(laneQueueArns).length === 0) refuse(`${field}.laneQueueArns`, 'there is none. Give the ARN of the queue of each lane.');
  for (const [lane, arn] of Object.entries(laneQueueArns)) checkArn(`${field}.laneQueueArns.${lane}`, arn, QUEUE);
  if (fifoQueueArn !== undefined) checkArn(`${field}.fifoQueueArn`, fifoQueueArn, QUEUE);
}

function checkObject(field: string, value: unknown, known?: Readonly<Record<string, true>>): void {
  if (!isRecord(value)) refuse(field, `${shownValue(value)} is no object. Give what jobs.attributes of the deployment returns.`);
  if (known === undefined) return;
  const other = Object.keys(value).find((name) => !Object.hasOwn(known, name));
  if (other !== undefined) refuse(`${field}.${other}`, `is no attribute. ${knownNames(other, Object.keys(known))}`);
}

/** What an ARN made of tokens names is seen when the app is deployed. */
function checkArn(field: string, arn: unknown, { what, example }: Named): void {
  if (Token.isUnresolved(arn)) return;
  if (typeof arn !== 'string' || !PATTERNS[what].test(arn)) {
    refuse(field, `${shownValue(arn)} is no ARN of a ${what}. It is like ${example}.`);
  }
}
