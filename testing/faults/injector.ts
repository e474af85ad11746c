import { systemClock } from '../../shared/adapters/system.ts';
import { Described, InvalidInputError } from '../../shared/job/errors.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import { failAttempt } from './attempt-faults.ts';
import type { BlackHole } from './black-hole.ts';
import { type FaultSpec, type FaultyCall, kindOf } from './fault.ts';
import type { FaultPlan } from './fault-plan.ts';
import { failInPart } from './partial-batch.ts';
import type { Receiver } from './received.ts';
import { signatureIsOff } from './skewed-clock.ts';
import {
  type CommandContext,
  type CommandResult,
  type FaultyClient,
  operationOf,
  serviceOf,
  type WireReply,
  type WireRequest,
} from './smithy-client.ts';
import { brokenConnection, errorReply, serviceError } from './wire-errors.ts';

/** What an injector works with; `skewMs` is that of its client. */
export interface InjectorDeps {
  readonly plan: FaultPlan;
  readonly clock: Clock;
  readonly hole: BlackHole;
  readonly random: () => number;
  readonly receiver: Receiver;
  readonly skewMs: number;
}

// Travels with the arguments from the call to each of its attempts.
const STATE = Symbol('nightcrewFaults');
const NAME = 'nightcrewFaults';

interface CallState {
  attempts: number;
  /** No further attempt gets through. */
  down: boolean;
}

type CallArgs = { readonly input: Readonly<Record<string, unknown>>; readonly [STATE]?: CallState };
type AttemptArgs = CallArgs & { readonly request: WireRequest };

/** Two middlewares: one around the whole call, for faults in the reply as a whole, and one right above the network, for each attempt. */
export function createInjector(deps: InjectorDeps): { putUnder(client: FaultyClient): void } {
  const aroundCall = (next: (args: CallArgs) => Promise<CommandResult>, context: CommandContext) => async (args: CallArgs) => {
    const call = callOf(args, context, 1);
    await deps.plan.letIn(call);
    const pass = (input: CallArgs['input']): Promise<CommandResult> => next({ ...args, input, [STATE]: { attempts: 0, down: false } });
    // What a receive brought decides which faults there are at it.
    const takeReceived = (received: number): FaultSpec | undefined => deps.plan.take('call', call, received);
    if (call.operation === 'ReceiveMessage') return deps.receiver.receive(args.input, takeReceived, pass);
    const spec = deps.plan.take('call', call);
    return spec === undefined ? pass(args.input) : failInPart(call, spec, deps.random, pass);
  };
  const aroundAttempt = (next: (args: AttemptArgs) => Promise<WireReply>, context: CommandContext) => async (args: AttemptArgs) => {
    const state = args[STATE] ?? { attempts: 0, down: false };
    state.attempts += 1;
    if (state.down) throw brokenConnection('ECONNREFUSED');
    const call = callOf(args, context, state.attempts);
    const spec = deps.plan.take('attempt', call);
    if (spec !== undefined && kindOf(spec.fault).lasts === true) state.down = true;
    const send = (request: WireRequest): Promise<WireReply> => overSkew(deps.skewMs, call, request, () => next({ ...args, request }));
    if (spec === undefined) return send(args.request);
    return failAttempt({ call, request: args.request, signal: context.__smithy_context?.abortSignal, send }, spec, deps);
  };
  return {
    putUnder: (client) => {
      const stack = (client as Partial<FaultyClient> | undefined)?.middlewareStack;
      if (typeof stack?.add !== 'function') {
        throw new InvalidInputError('client', client, 'Give a client of the AWS SDK, version 3, such as a DynamoDBClient.');
      }
      if (stack.identify().some((name) => name.startsWith(NAME))) {
        throw new InvalidInputError(
          'client',
          new Described('one with faults under it'),
          'Put faults under a client once; make another client for others.',
        );
      }
      stack.add(aroundCall as never, { step: 'initialize', priority: 'low', name: `${NAME}OfCall` } as never);
      stack.add(aroundAttempt as never, { step: 'deserialize', priority: 'low', name: `${NAME}OfAttempt` } as never);
    },
  };
}

function callOf({ input }: CallArgs, context: CommandContext, attempt: number): FaultyCall {
  return { service: serviceOf(context), operation: operationOf(context), input, attempt };
}

/** AWS, whose clock is `skewMs` behind the client's machine: it dates its replies by its own time and refuses signatures that are off. */
async function overSkew(skewMs: number, call: FaultyCall, request: WireRequest, send: () => Promise<WireReply>): Promise<WireReply> {
  if (skewMs === 0) return send();
  // The SDK signs by the machine's time, independent of the clock of the faults.
  const now = systemClock.now() - skewMs;
  const refused = signatureIsOff(request.headers['x-amz-date'], now);
  const reply = refused ? errorReply(request, serviceError({ fault: 'signature-expired' }, call)) : await send();
  reply.response.headers['date'] = new Date(now).toUTCString();
  return reply;
}
