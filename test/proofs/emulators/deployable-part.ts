/** A CloudFormation template, as far as it is looked at here. */
export interface Template {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Parameters?: Readonly<Record<string, { readonly Type: string }>>;
  readonly [section: string]: unknown;
}

interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly DependsOn?: string | readonly string[];
  readonly Metadata?: Readonly<Record<string, unknown>>;
  readonly [attribute: string]: unknown;
}

/** A function that was left out: everything needed to run it elsewhere. Values come from the outputs of the deployed stack. */
export interface LeftOutFunction {
  /** Its logical id. */
  readonly id: string;
  /** Folder of its bundle, inside the synthesized assembly. */
  readonly asset: string;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  /** Names of the outputs that hold its environment variables, by variable. */
  readonly environment: Readonly<Record<string, string>>;
}

/** An event source that was left out. */
export interface LeftOutSource {
  readonly functionId: string;
  /** Output that holds the URL of its queue. */
  readonly queueUrl: string;
  readonly batchSize: number;
  readonly maxConcurrency: number;
}

/** A schedule that became a rule: it sends `{"input": <the schedule's input>}` to a queue of its own. */
export interface QueuedTick {
  readonly functionId: string;
  /** Output that holds the URL of the queue. */
  readonly queueUrl: string;
}

/** The part of a template that an emulator without functions can deploy, and the functions to run separately. */
export interface DeployablePart {
  readonly template: Template;
  readonly functions: readonly LeftOutFunction[];
  readonly sources: readonly LeftOutSource[];
  readonly ticks: readonly QueuedTick[];
  /** The number of resources that are not deployed, by type. */
  readonly leftOut: Readonly<Record<string, number>>;
}

/** Deployed word by word. */
const KEPT = new Set(['AWS::DynamoDB::GlobalTable', 'AWS::SQS::Queue', 'AWS::SQS::QueuePolicy']);
/** Of a parameter that the emulator cannot resolve: it names the version of CDK's bootstrap stack. */
const SSM_PARAMETER = 'AWS::SSM::Parameter::Value';

/**
 * Takes a synthesized template apart: tables and queues as they are; a rule and a queue in place of each schedule, because the
 * emulator's Scheduler never fires and its functions need Docker; outputs for what the functions are told of their surroundings.
 * Throws when what is kept refers to something that is not.
 */
export function deployablePart({ Resources, Parameters = {} }: Template): DeployablePart {
  const outputs = new Outputs();
  const kept = Object.entries(Resources).filter(([, { Type }]) => KEPT.has(Type));
  const schedules = ofType(Resources, 'AWS::Scheduler::Schedule');
  if (schedules.length === 0) throw new Error('The template has no schedule: nothing would tick.');
  const functions = ofType(Resources, 'AWS::Lambda::Function').map(([id, resource]) => leftOutFunction(id, resource, outputs));
  const sources = ofType(Resources, 'AWS::Lambda::EventSourceMapping').map(([, resource]) => leftOutSource(resource, Resources, outputs));
  const ticks = schedules.map(([id, { Properties: of = {} }]) => ({
    functionId: functionBehind(Resources, read(of, 'Target', 'Arn'), `schedule ${id}`),
    queueUrl: outputs.add({ Ref: tickQueueId(id) }),
  }));
  const template: Template = {
    Parameters: Object.fromEntries(Object.entries(Parameters).filter(([, { Type }]) => !Type.startsWith(SSM_PARAMETER))),
    Resources: Object.fromEntries([...kept, ...schedules.flatMap(([id, schedule]) => ruleOf(id, schedule))]),
    Outputs: outputs.section,
  };
  checkReferences(template);
  return { template, functions, sources, ticks, leftOut: countTypes(Resources) };
}

class Outputs {
  readonly section: Record<string, { readonly Value: unknown }> = {};

  /** Gives back the output's name. */
  add(value: unknown): string {
    const name = `Output${Object.keys(this.section).length}`;
    this.section[name] = { Value: value };
    return name;
  }
}

function ruleOf(id: string, { Properties: schedule = {} }: Resource): [string, Resource][] {
  const queue = tickQueueId(id);
  const { ScheduleExpression, State } = schedule;
  const input: unknown = JSON.parse((read(schedule, 'Target', 'Input') as string | undefined) ?? '{}');
  // Wrapped: LocalStack sends no event at all when the input is an empty object, as the sweeper's is.
  const target = { Id: 'Ticks', Arn: { 'Fn::GetAtt': [queue, 'Arn'] }, Input: JSON.stringify({ input }) };
  return [
    [queue, { Type: 'AWS::SQS::Queue' }],
    [`${id}Rule`, { Type: 'AWS::Events::Rule', Properties: { ScheduleExpression, State, Targets: [target] } }],
  ];
}

function tickQueueId(scheduleId: string): string {
  return `${scheduleId}Queue`;
}

function leftOutFunction(id: string, { Properties: of = {}, Metadata = {} }: Resource, outputs: Outputs): LeftOutFunction {
  const variables = Object.entries((read(of, 'Environment', 'Variables') ?? {}) as Record<string, unknown>);
  const asset = Metadata['aws:asset:path'];
  if (typeof asset !== 'string') throw new Error(`Function ${id} names no bundle: the template has to come from an assembly.`);
  return {
    id,
    asset,
    timeoutMs: Number(of['Timeout']) * 1000,
    memoryMb: Number(of['MemorySize']),
    environment: Object.fromEntries(variables.map(([name, value]) => [name, outputs.add(value)])),
  };
}

function leftOutSource({ Properties: of = {} }: Resource, resources: Template['Resources'], outputs: Outputs): LeftOutSource {
  return {
    functionId: functionBehind(resources, of['FunctionName'], 'event source'),
    queueUrl: outputs.add({ Ref: attributeOf(of['EventSourceArn'], 'event source') }),
    batchSize: Number(of['BatchSize']),
    maxConcurrency: Number(read(of, 'ScalingConfig', 'MaximumConcurrency')),
  };
}

function ofType(resources: Template['Resources'], type: string): [string, Resource][] {
  return Object.entries(resources).filter(([, { Type }]) => Type === type);
}

function read(properties: Readonly<Record<string, unknown>>, outer: string, inner: string): unknown {
  return (properties[outer] as Record<string, unknown> | undefined)?.[inner];
}

/** Logical id of the function that an alias points at: without Docker there is one version of it. */
function functionBehind(resources: Template['Resources'], value: unknown, of: string): string {
  const { Ref: alias = '' } = (value ?? {}) as { readonly Ref?: string };
  const { Ref: id } = (resources[alias]?.Properties?.['FunctionName'] ?? {}) as { readonly Ref?: string };
  if (id === undefined) throw new Error(`${of}: ${JSON.stringify(value)} is no alias of the template.`);
  return id;
}

/** Logical id of a resource whose attribute is meant. */
function attributeOf(value: unknown, of: string): string {
  const [id] = ((value as { 'Fn::GetAtt'?: unknown } | undefined)?.['Fn::GetAtt'] ?? []) as readonly unknown[];
  if (typeof id !== 'string') throw new Error(`${of}: ${JSON.stringify(value)} names no resource of the template.`);
  return id;
}

function countTypes(resources: Template['Resources']): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { Type } of Object.values(resources)) if (!KEPT.has(Type)) counts[Type] = (counts[Type] ?? 0) + 1;
  return counts;
}

function checkReferences(template: Template): void {
  const known = new Set([...Object.keys(template.Resources), ...Object.keys(template.Parameters ?? {})]);
  for (const [id, { DependsOn = [] }] of Object.entries(template.Resources)) {
    for (const other of [DependsOn].flat()) checkKnown(other, id, known);
  }
  visit(template, (name, value) => {
    if (name === 'Ref' && typeof value === 'string' && !value.startsWith('AWS::')) checkKnown(value, 'Ref', known);
    if (name === 'Fn::GetAtt' && Array.isArray(value)) checkKnown(String(value[0]), 'Fn::GetAtt', known);
  });
}

function checkKnown(id: string, from: string, known: ReadonlySet<string>): void {
  if (!known.has(id)) throw new Error(`${from} refers to ${id}, which is not deployed.`);
}

function visit(value: unknown, look: (name: string, value: unknown) => void): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    look(name, inner);
    visit(inner, look);
  }
}
