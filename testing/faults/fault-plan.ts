import { InvalidInputError } from '../../shared/job/errors.ts';
import { seededEntropy } from '../../shared/adapters/memory/seeded-entropy.ts';
import { checkAim, type FaultAim } from './aim.ts';
import { applies, checkFault, type Fault, type FaultName, type FaultSpec, type FaultyCall, kindOf } from './fault.ts';

/** A fault that happened. */
export interface InjectedFault extends Pick<FaultyCall, 'service' | 'operation' | 'attempt'> {
  readonly fault: FaultName;
}

interface Rate {
  readonly aim: FaultAim;
  readonly spec: FaultSpec;
  readonly share: number;
  readonly draw: () => number;
}

// A soak of days must not fill the memory with its events; the counts continue.
const LOGGED = 10_000;

/** Which faults are to come, by aim or by chance, and which have come. */
export class FaultPlan {
  readonly log: InjectedFault[] = [];
  readonly #counts = new Map<FaultName, number>();
  readonly #seed: number;
  readonly #aimed: { readonly aim: FaultAim; readonly spec: FaultSpec }[] = [];
  readonly #rates: Rate[] = [];
  readonly #meanwhiles: { readonly aim: FaultAim; readonly meanwhile: () => Promise<unknown> }[] = [];

  constructor(seed: number) {
    if (!Number.isSafeInteger(seed)) throw new InvalidInputError('seed', seed, 'Use a whole number.');
    this.#seed = seed;
  }

  next(aim: FaultAim, fault: Fault, times: number): void {
    if (!(Number.isSafeInteger(times) && times >= 1)) throw new InvalidInputError('times', times, 'Use a whole number from 1.');
    const entry = { aim: checkAim(aim), spec: checkFault(fault) };
    this.#aimed.push(...Array.from({ length: times }, () => entry));
  }

  rate(fault: Fault, share: number, aim: FaultAim): void {
    if (!(typeof share === 'number' && share >= 0 && share <= 1))
      throw new InvalidInputError('share', share, 'Use a share from 0 to 1, such as 0.05.');
    // Each rate draws from a stream of its own, so that adding one leaves the others as they are.
    const entropy = seededEntropy(this.#seed + 0x9e3779b1 * (this.#rates.length + 1));
    this.#rates.push({ aim: checkAim(aim), spec: checkFault(fault), share, draw: () => entropy.random() });
  }

  before(aim: FaultAim, meanwhile: () => Promise<unknown>): void {
    if (typeof meanwhile !== 'function') throw new InvalidInputError('meanwhile', meanwhile, 'Give a function that returns a promise.');
    this.#meanwhiles.push({ aim: checkAim(aim), meanwhile });
  }

  /** The fault that hits this call or attempt, if any: what was aimed goes before chance. `received`: messages of a receive's reply. */
  take(hits: 'attempt' | 'call', call: FaultyCall, received = 0): FaultSpec | undefined {
    const reaches = ({ aim, spec: { fault } }: { aim: FaultAim; spec: FaultSpec }): boolean =>
      kindOf(fault).hits === hits && applies(fault, call, received) && aim(call);
    const at = this.#aimed.findIndex(reaches);
    const spec = at >= 0 ? this.#aimed.splice(at, 1)[0]?.spec : this.#rates.find((rate) => reaches(rate) && rate.draw() < rate.share)?.spec;
    if (spec !== undefined) this.#note(spec.fault, call);
    return spec;
  }

  /** Runs other code before this call. */
  async letIn(call: FaultyCall): Promise<void> {
    const at = this.#meanwhiles.findIndex(({ aim }) => aim(call));
    if (at >= 0) await this.#meanwhiles.splice(at, 1)[0]?.meanwhile();
  }

  pending(): number {
    return this.#aimed.length + this.#meanwhiles.length;
  }

  counts(): Readonly<Partial<Record<FaultName, number>>> {
    return Object.fromEntries(this.#counts);
  }

  clear(): void {
    for (const list of [this.#aimed, this.#rates, this.#meanwhiles]) list.length = 0;
  }

  #note(fault: FaultName, { service, operation, attempt }: FaultyCall): void {
    this.#counts.set(fault, (this.#counts.get(fault) ?? 0) + 1);
    this.log.push({ fault, service, operation, attempt });
    if (this.log.length > LOGGED) this.log.shift();
  }
}
