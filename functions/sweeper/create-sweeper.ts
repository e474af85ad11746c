import { type FunctionHandler, type FunctionOptions, lambdaHandler } from '../../shared/lambda/lambda-handler.ts';
import { checkEachOption, type OptionChecks } from '../../shared/job/option-checks.ts';
import { CONNECTION_CHECKS } from '../../shared/ports/connection-checks.ts';
import type { SweepReport } from './sweep.ts';
import { sweepUnlessOff } from './sweep-unless-off.ts';

const CHECKS: OptionChecks<FunctionOptions> = CONNECTION_CHECKS;

/** The sweeper Lambda: settles expired leases at each tick. The content of the tick is ignored. Throws InvalidInputError for a wrong option. */
export function createSweeper(options: FunctionOptions = {}): FunctionHandler<unknown, SweepReport> {
  checkEachOption(options, CHECKS);
  return lambdaHandler<unknown, SweepReport>({
    ...options,
    service: 'sweeper',
    work: (call) => sweepUnlessOff({ ...call, backlog: call.hints }, call.invocation),
  });
}
