const MADE = 'made by a function of the API, which checks its options';
const HANDED = 'the product makes it and hands it over';
const AWS = 'what AWS hands to a function';
const FOREIGN = 'a part of an SDK, of which only what is called is declared';
const CONSTRUCT = 'a construct of the CDK';
const ERROR = 'errors are made by the product';
const ADAPTER = 'the product calls it, or an adapter with what the product gave it';

/** Types and functions that have no options, by name, with the reason. `ports` are the types that shared/ports declares. */
export const NO_OPTIONS: Readonly<Record<string, string>> = {
  ports: 'implemented by an adapter, or handed to one; the contract suites certify adapters',
  AnyJobType: MADE,
  AnyLimit: MADE,
  HandledJob: MADE,
  JobType: MADE,
  Limit: MADE,
  MemoryHints: MADE,
  PayloadCodec: MADE,
  FaultyCall: HANDED,
  JobContext: HANDED,
  JobInfo: HANDED,
  LambdaContext: AWS,
  SqsEvent: AWS,
  EventBridgeCaller: FOREIGN,
  FaultyClient: FOREIGN,
  OpenTelemetryApi: FOREIGN,
  FunctionMiddleware: FOREIGN,
  SdkCaller: FOREIGN,
  AdoptableTable: CONSTRUCT,
  'props.events.bus': CONSTRUCT,
  JobLog: 'a logger of any make',
  'new BacklogFullError': ERROR,
  'new JobCancelledError': ERROR,
  'new NightcrewError': ERROR,
  'new StoreRefusedError': ERROR,
  Hint: ADAPTER,
  RouteQueues: ADAPTER,
  TracedJob: ADAPTER,
  'PayloadCodec.continued': ADAPTER,
  PayloadContext: ADAPTER,
  PayloadOwner: ADAPTER,
};
