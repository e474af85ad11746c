import { type FunctionHandler, type FunctionOptions, lambdaFunction } from '../../shared/lambda/lambda-function.ts';
import { sweep, type SweepReport } from './sweep.ts';

/** The sweeper Lambda: settles leases that ran out at each tick. What the tick says does not matter. */
export function createSweeper(options: FunctionOptions = {}): FunctionHandler<unknown, SweepReport> {
  return lambdaFunction<unknown, SweepReport>({
    ...options,
    service: 'sweeper',
    work: (call) => sweep({ ...call, backlog: call.hints }, call.invocation),
  });
}
