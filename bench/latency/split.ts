import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { spreadOf } from '../frame/spread.ts';

/** Milliseconds of one hop by its steps, in their order; a step that a hop does not have is left out. */
export type Split = Readonly<Record<string, number>>;

interface Moment {
  readonly what: string;
  readonly at: number;
}

const START = 'http.client.request.created';
const REPLY = 'http.client.response.finish';

/** Watches the requests of this process; `between` returns those made and answered in an interval. */
export function watchRequests(): { readonly between: (from: number, to: number) => readonly Moment[]; readonly stop: () => void } {
  const moments: Moment[] = [];
  const note = (kind: string) => (message: unknown) => {
    const target = String((message as { readonly request: ClientRequest }).request.getHeader('x-amz-target'));
    moments.push({ what: `${kind} ${target.slice(target.indexOf('.') + 1)}`, at: performance.now() });
  };
  const [started, replied] = [note('ask'), note('got')];
  subscribe(START, started);
  subscribe(REPLY, replied);
  return {
    between: (from, to) => moments.splice(0).filter(({ at }) => at >= from && at <= to),
    stop() {
      unsubscribe(START, started);
      unsubscribe(REPLY, replied);
    },
  };
}

const STEPS: readonly (readonly [step: string, ends: RegExp])[] = [
  ['before the first request', /^ask (PutItem|SendMessage)/],
  ['put', /^got PutItem/],
  ['from put to send', /^ask SendMessage/],
  ['send to receive', /^got ReceiveMessage/],
  ['from receive to claim', /^ask UpdateItem/],
  ['claim', /^got UpdateItem/],
];

/** Cuts the time from the call to the handler's start at the requests in between. */
export function splitOf(moments: readonly Moment[], from: number, to: number): Split {
  const split: Record<string, number> = {};
  let at = from;
  let next = 0;
  for (const [step, ends] of STEPS) {
    const index = moments.findIndex(({ what }, place) => place >= next && ends.test(what));
    const end = moments[index];
    if (end === undefined) continue;
    split[step] = end.at - at;
    [at, next] = [end.at, index + 1];
  }
  split['to the handler'] = to - at;
  return split;
}

/** The median of each step, and of the whole, in milliseconds with three digits. */
export function medianSplit(splits: readonly Split[]): Split {
  const steps = ['whole', ...STEPS.map(([step]) => step), 'to the handler'];
  const whole = (split: Split): number => Object.values(split).reduce((sum, ms) => sum + ms, 0);
  const medians = steps.flatMap((step) => {
    const values = splits.flatMap((split) => (step === 'whole' ? whole(split) : (split[step] ?? [])));
    return values.length === 0 ? [] : [[step, Math.round(spreadOf(values).median * 1_000) / 1_000] as const];
  });
  return Object.fromEntries(medians);
}
