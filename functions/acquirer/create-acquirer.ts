import { type FunctionHandler, type FunctionOptions, lambdaFunction } from '../../shared/lambda/lambda-function.ts';
import { InvalidInputError } from '../../shared/core/errors.ts';
import { SHARDS } from '../../shared/core/job-id.ts';
import { type AcquirerReport, acquireTimers } from './acquire-timers.ts';
import type { AcquirerShare } from './acquirer-share.ts';
import { createScheduleSync } from './sync-schedules.ts';

/** A tick: which share of the shards it is for. Without a share all of them. */
export type AcquirerTick = Partial<AcquirerShare>;

/** Options of an acquirer; all have defaults. */
export interface AcquirerOptions extends FunctionOptions {
  /** The schedules that code declares, as JSON gave them; asked for once a sandbox. Default: none. */
  readonly schedules?: () => unknown;
}

/** The acquirer Lambda: fires due timers at each tick. A tick with a share that cannot be is refused. */
export function createAcquirer(options: AcquirerOptions = {}): FunctionHandler<AcquirerTick, AcquirerReport> {
  const { schedules = () => [], ...others } = options;
  const synchronise = createScheduleSync(schedules);
  return lambdaFunction<AcquirerTick, AcquirerReport>({
    ...others,
    service: 'acquirer',
    work: async (call, tick) => {
      const share = shareOf(tick);
      await synchronise(call, share);
      return acquireTimers(call, share, call.invocation);
    },
  });
}

function shareOf(tick: AcquirerTick | null | undefined): AcquirerShare {
  const { acquirer = 0, of = 1 } = tick ?? {};
  if (!Number.isInteger(of) || of < 1 || of > SHARDS) throw new InvalidInputError('of', of, `Use a whole number from 1 to ${SHARDS}.`);
  if (!Number.isInteger(acquirer) || acquirer < 0 || acquirer >= of) {
    throw new InvalidInputError('acquirer', acquirer, `Use a whole number from 0 to ${of - 1}.`);
  }
  return { acquirer, of };
}
