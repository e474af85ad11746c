import type { Clock } from '../../shared/ports/clock.ts';
import type { BlackHole } from './black-hole.ts';
import type { FaultSpec, FaultyCall } from './fault.ts';
import { discard, type WireReply, type WireRequest } from './smithy-client.ts';
import { brokenConnection, errorReply, serviceError } from './wire-errors.ts';

/** One attempt of the SDK at a call: the signed request and the way to the service. */
export interface Attempt {
  readonly call: FaultyCall;
  readonly request: WireRequest;
  readonly signal?: AbortSignal | undefined;
  send(request: WireRequest): Promise<WireReply>;
}

const DEFAULT_MS = 1_000;

/** Makes an attempt go wrong. */
export async function failAttempt(
  attempt: Attempt,
  spec: FaultSpec,
  { clock, hole }: { readonly clock: Clock; readonly hole: BlackHole },
): Promise<WireReply> {
  const { call, request } = attempt;
  const { ms = DEFAULT_MS, applied = false, meanwhile = async () => undefined } = spec;
  const wait = async (): Promise<void> => {
    await meanwhile();
    await clock.wait(ms, attempt.signal);
    if (attempt.signal?.aborted === true) throw Object.assign(new Error('Request aborted'), { name: 'AbortError' });
  };
  switch (spec.fault) {
    case 'lost-reply':
    case 'lost-for-good':
      discard(await attempt.send(request));
      await meanwhile();
      throw brokenConnection('ECONNRESET');
    case 'unavailable':
      await meanwhile();
      throw brokenConnection('ECONNREFUSED');
    case 'reset':
      await meanwhile();
      throw brokenConnection('ECONNRESET');
    case 'black-hole':
      await meanwhile();
      return attempt.send(await hole.swallow(request));
    case 'slow': {
      const reply = await attempt.send(request);
      await wait();
      return reply;
    }
    case 'late':
      await wait();
      return attempt.send(request);
    case 'sent-twice':
      discard(await attempt.send(request));
      await meanwhile();
      return attempt.send(request);
    default:
      if (applied) discard(await attempt.send(request));
      await meanwhile();
      return errorReply(request, serviceError(spec, call));
  }
}
