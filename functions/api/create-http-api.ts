import { EXTERNAL_WORKERS } from '../../shared/config/environment.ts';
import { PACKAGE_VERSION } from '../../shared/config/package-version.ts';
import { type Call, type FunctionHandler, type FunctionOptions, lambdaHandler } from '../../shared/lambda/lambda-handler.ts';
import { connectSource } from '../../shared/lambda/connect-source.ts';
import { processSandbox, systemEnvironment, systemTraceparent } from '../../shared/adapters/system.ts';
import { silentLog } from '../../shared/adapters/observability/silent-journal.ts';
import { readVerbs } from '../../operate/jobs/read-jobs.ts';
import { checkWorkerName } from '../../shared/job/names.ts';
import { ANSWER_MS } from '../../shared/job/lease.ts';
import { checkEachOption, listOf, type OptionChecks } from '../../shared/job/option-checks.ts';
import { backlogGuard } from '../../shared/features/backlogs/client/backlog-guard.ts';
import { EVERY_TYPE } from '../../shared/features/workers/store/worker-rows.ts';
import { CONNECTION_CHECKS } from '../../shared/ports/connection-checks.ts';
import type { HintSource } from '../../shared/ports/hint-source.ts';
import { checkPollingPorts } from '../../shared/ports/own-ports.ts';
import { configureExecutor } from '../executor/configure-executor.ts';
import { createWorkerReporter, type WorkerReporter } from '../executor/report-worker.ts';
import type { HttpAnswer, HttpEvent } from './function-url.ts';
import type { ApiDeps } from './route.ts';
import { serve } from './serve.ts';

/** Options of the HTTP API. All have defaults. */
export interface HttpApiOptions extends FunctionOptions {
  /** The workers whose jobs may be fetched. Default: those of the environment, which the construct sets: the workers outside Lambda. */
  readonly workers?: readonly string[];
}

const CHECKS: OptionChecks<HttpApiOptions> = {
  ...CONNECTION_CHECKS,
  workers: listOf((field, value) => void checkWorkerName(value, field)),
};

/**
 * The Lambda behind the URL of `externalApi`: jobs for workers in any language. Any caller that reaches it may use every verb, so only put it behind
 * something that authorizes its callers, as IAM does for the URL. Throws InvalidInputError for a wrong option.
 */
export function createHttpApi(options: HttpApiOptions = {}): FunctionHandler<HttpEvent, HttpAnswer> {
  checkEachOption(options, CHECKS);
  const own = checkPollingPorts(options.ports);
  const { connect } = configureExecutor([], { log: () => silentLog, sandbox: processSandbox });
  const reporters = new Map<string, WorkerReporter>();
  let source: HintSource | undefined;
  const environment = (): Readonly<Record<string, string | undefined>> => options.environment ?? systemEnvironment();
  const depsOf = (call: Call): ApiDeps => {
    const { invocation, ...connected } = call;
    const ports = { ...connected, traceparent: systemTraceparent };
    source ??= connectSource(own, call.deployment, { ...connected, environment: environment() }).source;
    const client = { ...ports, beforeCreate: [] };
    return {
      executor: { ...connect(ports), answerBy: invocation.deadlineAt - ANSWER_MS },
      client: { ...client, backlogs: backlogGuard(client) },
      reads: readVerbs(connected),
      source,
      workers: options.workers ?? workersOf(environment()),
      reporterOf(worker) {
        const reporter = reporters.get(worker) ?? createReporter();
        reporters.set(worker, reporter);
        return reporter;
      },
    };
  };
  return lambdaHandler<HttpEvent, HttpAnswer>({ ...options, service: 'api', work: async (call, event) => serve(depsOf(call), event) });
}

const createReporter = (): WorkerReporter =>
  createWorkerReporter({ kind: 'outside', types: [EVERY_TYPE], versions: new Map(), version: PACKAGE_VERSION });

const workersOf = (environment: Readonly<Record<string, string | undefined>>): readonly string[] =>
  (environment[EXTERNAL_WORKERS] ?? '').split(',').filter((name) => name !== '');
