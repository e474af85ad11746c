import { type Call, type FunctionHandler, type FunctionOptions, lambdaFunction } from '../../shared/aws/lambda-function.ts';
import { errorText } from '../../shared/core/error-text.ts';
import { InvalidInputError } from '../../shared/core/errors.ts';
import { SHARDS } from '../../shared/core/job-id.ts';
import { checkScheduleDefinitions } from '../../shared/core/schedule/definition.ts';
import { type AcquirerReport, type AcquirerShare, acquireTimers } from './acquire-timers.ts';
import { syncSchedules } from './sync-schedules.ts';

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
  let synchronised = false;
  /** Once a sandbox, because a deployment begins with new ones. What fails is tried again at the next tick, and keeps no timer from firing. */
  const synchronise = async (call: Call): Promise<void> => {
    try {
      await syncSchedules(call, checkScheduleDefinitions(schedules()));
      synchronised = true;
    } catch (error) {
      call.journal.record({ event: 'store-failed', reason: 'schedules of the code', error: errorText(error, call.clock.now()) });
    }
  };
  return lambdaFunction<AcquirerTick, AcquirerReport>({
    ...others,
    service: 'acquirer',
    work: async (call, tick) => {
      const share = shareOf(tick);
      if (!synchronised && share.acquirer === 0) await synchronise(call);
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
