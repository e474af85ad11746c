import type { IdleParts, IdleTick } from './idle-parts.ts';
import { asRecord, everyMinutesOf, listOf, logicalIdOf, type Plain } from './template-values.ts';

interface Resource {
  readonly id: string;
  readonly type: string;
  readonly properties: Plain;
}

/** Resources that cost nothing as long as nothing is stored in them or sent to them. */
const FREE =
  /^(AWS::IAM::|AWS::SQS::|AWS::DynamoDB::|AWS::Logs::LogGroup$|AWS::Lambda::|AWS::Scheduler::|AWS::Events::|AWS::SNS::|AWS::CDK::|AWS::CloudWatch::|AWS::KMS::|AWS::CodeDeploy::|Custom::)/;

/** The idle cost of a synthesized CloudFormation template. Throws TypeError if it is not a template. */
export function partsOfTemplate(template: unknown): IdleParts {
  const listed = asRecord(asRecord(template)['Resources']);
  if (Object.keys(listed).length === 0) throw new TypeError('it has no Resources');
  const resources = Object.entries(listed).map(([id, one]) => {
    const { Type, Properties } = asRecord(one);
    return { id, type: String(Type), properties: asRecord(Properties) };
  });
  const of = (type: string): readonly Resource[] => resources.filter((one) => one.type === type);
  const own = new Map(of('AWS::Lambda::Function').map((one) => [one.id, one]));
  const aliases = of('AWS::Lambda::Alias').map(({ id, properties }) => [id, own.get(logicalIdOf(properties['FunctionName']))] as const);
  const functions = new Map([...own, ...aliases.flatMap(([id, fn]) => (fn === undefined ? [] : [[id, fn] as const]))]);
  const sources = of('AWS::Lambda::EventSourceMapping').filter(({ properties }) => properties['Enabled'] !== false);
  const alarms = of('AWS::CloudWatch::Alarm');
  const ticks = [...of('AWS::Scheduler::Schedule'), ...of('AWS::Events::Rule')].flatMap((one) => tickOf(one, functions) ?? []);
  return {
    queues: queuesOf(sources, of('AWS::SQS::Queue')),
    ticks: ticks.map(({ tick }) => tick),
    ownMetrics: isPublished(executorsOf(sources, functions)),
    tickMetrics: isPublished(ticks.map(({ fn }) => fn)),
    alarmMetrics: sum(alarms.filter((one) => !isFast(one)).map(metricsOf)),
    fastAlarmMetrics: sum(alarms.filter(isFast).map(metricsOf)),
    compositeAlarms: of('AWS::CloudWatch::CompositeAlarm').length,
    dashboards: of('AWS::CloudWatch::Dashboard').length,
    keys: of('AWS::KMS::Key').length,
    warmGb: sum([...of('AWS::Lambda::Alias'), ...of('AWS::Lambda::Version')].map((one) => warmGbOf(one, functions))),
    executor: executorOf(sources, functions),
    free: Object.fromEntries(
      ['AWS::DynamoDB::GlobalTable', 'AWS::Logs::LogGroup', 'AWS::SQS::Queue'].map((type) => [type, of(type).length]),
    ),
    unknown: [...new Set(resources.map(({ type }) => type).filter((type) => !FREE.test(type)))].toSorted(),
  };
}

function queuesOf(sources: readonly Resource[], queues: readonly Resource[]): IdleParts['queues'] {
  const fifoQueues = new Set(queues.filter(({ properties }) => properties['FifoQueue'] === true).map(({ id }) => id));
  const targets = sources.map(({ properties }) => logicalIdOf(properties['EventSourceArn']));
  const fifo = targets.filter((target) => fifoQueues.has(target) || target.endsWith('.fifo')).length;
  return { standard: targets.length - fifo, fifo };
}

/** Undefined for a schedule that is disabled, has no rate, or starts a function that is not ours. */
function tickOf(
  { type, properties }: Resource,
  functions: ReadonlyMap<string, Resource>,
): { readonly fn: Resource; readonly tick: IdleTick } | undefined {
  const everyMinutes = everyMinutesOf(properties['ScheduleExpression']);
  if (properties['State'] === 'DISABLED' || everyMinutes === undefined) return undefined;
  const target = asRecord(properties['Target'] ?? listOf(properties['Targets'])[0]);
  const fn = functions.get(logicalIdOf(target['Arn']));
  if (fn === undefined || environmentOf(fn)['NIGHTCREW_TABLES'] === undefined) return undefined;
  const share = /"of":(\d+)/.exec(typeof target['Input'] === 'string' ? target['Input'] : '')?.[1];
  const tick: IdleTick = {
    of: share === undefined ? 'sweeper' : 'acquirer',
    everyMinutes,
    ...sizeOf(fn),
    by: type === 'AWS::Scheduler::Schedule' ? 'schedule' : 'rule',
    share: share === undefined ? 1 : 1 / Number(share),
  };
  return { fn, tick };
}

/** Whether any of them publishes metrics, which is the default. */
function isPublished(functions: readonly Resource[]): boolean {
  return functions.some((fn) => environmentOf(fn)['NIGHTCREW_METRICS'] !== 'off');
}

function executorsOf(sources: readonly Resource[], functions: ReadonlyMap<string, Resource>): readonly Resource[] {
  return sources.flatMap(({ properties }) => functions.get(logicalIdOf(properties['FunctionName'])) ?? []);
}

function executorOf(sources: readonly Resource[], functions: ReadonlyMap<string, Resource>): IdleParts['executor'] {
  const [fn] = executorsOf(sources, functions);
  return fn === undefined ? { memoryMb: 0, traced: false } : sizeOf(fn);
}

function sizeOf({ properties }: Resource): { readonly memoryMb: number; readonly traced: boolean } {
  return { memoryMb: Number(properties['MemorySize'] ?? 128), traced: asRecord(properties['TracingConfig'])['Mode'] === 'Active' };
}

function environmentOf({ properties }: Resource): Plain {
  return asRecord(asRecord(properties['Environment'])['Variables']);
}

function warmGbOf({ properties }: Resource, functions: ReadonlyMap<string, Resource>): number {
  const { ProvisionedConcurrentExecutions: warm = 0 } = asRecord(properties['ProvisionedConcurrencyConfig']);
  const fn = functions.get(logicalIdOf(properties['FunctionName']));
  return fn === undefined ? 0 : (Number(warm) * sizeOf(fn).memoryMb) / 1_024;
}

/** An alarm on metric math is charged for each metric that its expression reads. */
function metricsOf({ properties }: Resource): number {
  const metrics = listOf(properties['Metrics']).map(asRecord);
  return metrics.length === 0 ? 1 : metrics.filter((one) => one['MetricStat'] !== undefined).length;
}

function isFast({ properties }: Resource): boolean {
  return Number(properties['Period'] ?? 60) < 60;
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((all, one) => all + one, 0);
}
