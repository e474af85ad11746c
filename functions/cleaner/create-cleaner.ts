import { s3Payloads } from '../../shared/adapters/s3/index.ts';
import { defined } from '../../shared/job/defined.ts';
import { checkEachOption, type OptionChecks, withMethods } from '../../shared/job/option-checks.ts';
import type { CleanReport } from '../../shared/features/claim-check/store/clean-payloads.ts';
import { type FunctionHandler, type FunctionOptions, lambdaHandler } from '../../shared/lambda/lambda-handler.ts';
import { CONNECTION_CHECKS } from '../../shared/ports/connection-checks.ts';
import type { PayloadStore } from '../../shared/ports/payload-store.ts';
import { cleanUnlessOff } from './clean-unless-off.ts';

/** Options of the cleaner. All have defaults. */
export interface CleanerOptions extends FunctionOptions {
  /** Default: the bucket of the deployment. */
  readonly payloads?: PayloadStore;
}

const CHECKS: OptionChecks<CleanerOptions> = {
  ...CONNECTION_CHECKS,
  payloads: withMethods(['delete', 'list'], 'Give a payload store.'),
};

/** The cleaner Lambda: removes payloads that no row refers to. The content of the tick is ignored. Throws InvalidInputError for a wrong option. */
export function createCleaner(options: CleanerOptions = {}): FunctionHandler<unknown, CleanReport> {
  checkEachOption(options, CHECKS);
  const { payloads = s3Payloads(defined({ environment: options.environment })), ...rest } = options;
  return lambdaHandler<unknown, CleanReport>({
    ...rest,
    service: 'cleaner',
    work: (call) => cleanUnlessOff({ ...call, payloads }, call.invocation),
  });
}
