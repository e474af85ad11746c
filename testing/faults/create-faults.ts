import { systemClock } from '../../shared/adapters/system.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import { checkOptions } from '../../shared/job/names.ts';
import { seededEntropy } from '../../shared/adapters/memory/seeded-entropy.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { FaultAim } from './aim.ts';
import { createBlackHole } from './black-hole.ts';
import type { Fault, FaultName } from './fault.ts';
import { FaultPlan, type InjectedFault } from './fault-plan.ts';
import { createInjector } from './injector.ts';
import { createReceiver } from './received.ts';
import type { FaultyClient } from './smithy-client.ts';

/** Options of `createFaults`; all have defaults. */
export interface FaultsOptions {
  /** The same seed and the same calls in the same order meet the same faults. Default: 1. */
  readonly seed?: number;
  /** The clock of `slow` and `late`. Default: the machine's. */
  readonly clock?: Clock;
}

/** Options of a client under faults. */
export interface UnderOptions {
  /** How far the client's machine is ahead of AWS, in milliseconds: beyond five minutes AWS refuses its signatures. Default: 0. */
  readonly skewMs?: number;
}

/** Faults that are put under SDK clients, and what is known of them. */
export interface Faults {
  /** Puts the faults under a client, and gives it back. */
  under<Client extends FaultyClient>(client: Client, options?: UnderOptions): Client;
  /** Hits the next call that `aim` picks, or the next few: attempts of the SDK, for a fault that hits an attempt. */
  next(aim: FaultAim, fault: Fault, times?: number): void;
  /** From now on hits this share of the calls or attempts that `aim` picks. Default: all at which the fault exists. */
  rate(fault: Fault, share: number, aim?: FaultAim): void;
  /** Runs a function right before the next call that `aim` picks, to let another write come first. */
  before(aim: FaultAim, meanwhile: () => Promise<unknown>): void;
  /**
   * Ends the faults, also those of `next` and `before`. What waits in a black hole meets a broken connection. A skew stays, and messages that
   * `received-twice` picked are still received once more.
   */
  stop(): void;
  /** Faults of `next` and meanwhiles that did not occur yet: a test whose fault never occurred proves nothing. */
  pending(): number;
  /** How often each fault happened. */
  counts(): Readonly<Partial<Record<FaultName, number>>>;
  /** The last 10,000 faults that happened, in order. */
  readonly log: readonly InjectedFault[];
}

/**
 * Faults as AWS and the network have them, for SDK clients of any service. They sit beneath the client's own retries and above
 * the network, so a lost reply is followed by the SDK's second attempt, as in production.
 *
 * ```ts
 * const faults = createFaults({ seed: 7 });
 * const dynamo = faults.under(new DynamoDBClient());
 * faults.next(aimAt('UpdateItem', 'orders'), 'lost-reply');
 * await markPaid(dynamo, 'o1');
 * expect(faults.pending()).toBe(0);
 * ```
 */
export function createFaults(options: FaultsOptions = {}): Faults {
  checkOptions(options, ['seed', 'clock'], 'options');
  const { seed = 1, clock = systemClock } = options;
  const plan = new FaultPlan(seed);
  const hole = createBlackHole();
  const entropy = seededEntropy(seed);
  const random = (): number => entropy.random();
  const receiver = createReceiver(random);
  return {
    under: (client, given = {}) => {
      checkOptions(given, ['skewMs'], 'options');
      const { skewMs = 0 } = given;
      if (!Number.isFinite(skewMs))
        throw new InvalidInputError('skewMs', skewMs, 'Use milliseconds, negative for a machine that is behind.');
      createInjector({ plan, clock, hole, random, receiver, skewMs }).putUnder(client);
      return client;
    },
    next: (aim, fault, times = 1) => plan.next(aim, fault, times),
    rate: (fault, share, aim = () => true) => plan.rate(fault, share, aim),
    before: (aim, meanwhile) => plan.before(aim, meanwhile),
    stop: () => {
      plan.clear();
      hole.close();
    },
    pending: () => plan.pending(),
    counts: () => plan.counts(),
    log: plan.log,
  };
}
