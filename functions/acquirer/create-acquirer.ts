import { type FunctionHandler, type FunctionOptions, lambdaHandler } from '../../shared/lambda/lambda-handler.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import { SHARDS } from '../../shared/job/job-id.ts';
import { checkEachOption, checkFunction, type OptionChecks } from '../../shared/job/option-checks.ts';
import { CONNECTION_CHECKS } from '../../shared/ports/connection-checks.ts';
import type { AcquirerReport } from './acquire-timers.ts';
import { acquireUnlessOff } from './acquire-unless-off.ts';
import type { AcquirerShare } from './acquirer-share.ts';
import { createScheduleSync } from './sync-schedules.ts';

/** A tick and its share of the shards. Default: all shards. */
export type AcquirerTick = Partial<AcquirerShare>;

/** Options of an acquirer; all have defaults. */
export interface AcquirerOptions extends FunctionOptions {
  /** The schedules declared in code, as parsed JSON; read once per sandbox. Default: none. */
  readonly schedules?: () => unknown;
}

const CHECKS: OptionChecks<AcquirerOptions> = { ...CONNECTION_CHECKS, schedules: checkFunction };

/** The acquirer Lambda: fires due timers at each tick. Throws InvalidInputError for a wrong option, and at a tick for an invalid share. */
export function createAcquirer(options: AcquirerOptions = {}): FunctionHandler<AcquirerTick, AcquirerReport> {
  checkEachOption(options, CHECKS);
  const { schedules = () => [], ...others } = options;
  const synchronise = createScheduleSync(schedules);
  return lambdaHandler<AcquirerTick, AcquirerReport>({
    ...others,
    service: 'acquirer',
    work: async (call, tick) => {
      const share = shareOf(tick);
      return acquireUnlessOff(call, share, call.invocation, async () => synchronise(call, share));
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
