import type { CancelAnswer } from '../../../../shared/client/cancel-job.ts';
import type { JobClient } from '../../../../shared/client/job-client.ts';
import type { EnqueueOptions } from '../../../../shared/job/enqueue-options.ts';
import { NightcrewError } from '../../../../shared/job/errors.ts';
import { jobIdFrom } from '../../../../shared/job/job-id.ts';
import { seededEntropy } from '../../../../shared/adapters/memory/seeded-entropy.ts';
import type { Entropy } from '../../../../shared/ports/entropy.ts';
import type { SimProcess } from '../world/sim-process.ts';
import type { World } from '../world/world.ts';
import { commission } from './work-items.ts';
import { JOB_TYPES, OLDER_PATIENT, type WorkItem } from './work-item-jobs.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const DEBOUNCE = { wait: 2 * MINUTE, maxWait: 20 * MINUTE };
/** How many of the jobs that start are cancelled at once. */
const MEDDLING = 0.05;
/** Tenants of some jobs; most have none. */
export const TENANTS = ['acme', 'umbrella'] as const;

/**
 * Those who use the product: each producer is a process of its own that does a few things and ends, wherever its faults take
 * it. What it was told is held against the store.
 */
export class Producers {
  readonly processes: SimProcess[] = [];
  readonly #world: World;
  /** Own ids are only used again where History keeps every finished job: docs/reference/guarantees.md says why. */
  readonly #ownIds: boolean;
  /** Chance of its own, so that what else a seed draws stays as it is. */
  readonly #ranks: Entropy;
  readonly #keys: Entropy;
  /** One world in eight has neither keys with a choice nor expiry, as most deployments do. */
  readonly #choosy: boolean;
  /** Decides who enqueues several jobs at once, in worlds in which these share requests. */
  readonly #crowds: Entropy | undefined;

  constructor(world: World) {
    this.#world = world;
    this.#ownIds = world.deployment.history === 'durable';
    this.#ranks = seededEntropy(world.options.seed * 13 + 5);
    this.#keys = seededEntropy(world.options.seed * 29 + 11);
    this.#choosy = world.options.seed % 8 !== 0;
    this.#crowds = world.wire?.ofStatements && seededEntropy(world.options.seed * 37 + 13);
  }

  /** Starts `count` producers, spread over `during` milliseconds. */
  start(count: number, during: number): void {
    for (let index = 0; index < count; index++) this.#world.time.after(this.#world.between(0, during), () => this.#produce());
    for (let index = 0; index < Math.ceil(count / 4); index++)
      this.#world.time.after(this.#world.between(0, during), () => this.#operate());
  }

  /** Somebody who changes his mind as soon as a job runs. */
  watch(): void {
    const { checks, entropy, time } = this.#world;
    checks.tracker.watch(({ entry: { id }, verb }) => {
      if (verb !== 'claim' || this.#world.plan.stopped || !checks.accepted.has(id) || entropy.random() >= MEDDLING) return;
      const process = this.#world.process('client', 'meddler');
      this.processes.push(process);
      time.after(
        this.#world.between(0, 2 * SECOND),
        () => void this.#perform(process, () => this.#cancel(this.#world.client(process), id)),
      );
    });
  }

  #produce(): void {
    const process = this.#world.process('client', 'producer');
    this.processes.push(process);
    const client = this.#world.client(process);
    void this.#perform(process, async () => {
      for (let left = this.#world.between(1, 4); left > 0; left--) {
        await this.#act(client);
        await process.clock.wait(this.#world.between(0, 2 * SECOND));
      }
    });
  }

  #operate(): void {
    const process = this.#world.process('admin', 'operator');
    this.processes.push(process);
    const admin = this.#world.admin(process);
    const dead = [...this.#world.checks.tracker.jobs.values()].filter(({ state }) => state === 'dead').map(({ id }) => id);
    if (dead.length === 0) return;
    const id = this.#world.pick(dead);
    const twice = this.#world.entropy.random() < 0.3;
    void this.#perform(process, async () => {
      const redriven = await Promise.allSettled([admin.redrive(id), ...(twice ? [admin.redrive(id)] : [])]);
      for (const one of redriven) if (one.status === 'rejected') throw one.reason;
    });
  }

  /** A producer may fail: what it was not told to be accepted is not owed. */
  async #perform(process: SimProcess, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof NightcrewError)) throw error;
      this.#world.trace.note(this.#world.time.now, process.name, `failed: ${error.name}`);
    }
    this.#world.checks.hints.ended(process);
  }

  async #act(client: JobClient): Promise<void> {
    const draw = this.#world.entropy.random();
    if (draw < 0.1) return this.#enqueueMany(client);
    const id = this.#someId();
    if (draw < 0.2) return this.#found(id, (await this.#cancel(client, id)) !== 'not-found');
    if (draw < 0.3) {
      const outcome = await client.reschedule(id, { delay: this.#world.between(0, 40) * MINUTE });
      return this.#found(id, outcome !== 'not-found');
    }
    if (draw < 0.33) return this.#found(id, (await client.get(id)) !== undefined);
    await this.#enqueueSome(client);
  }

  /** At the same moment: each call is answered by itself, and one that fails leaves the others as they are. */
  async #enqueueSome(client: JobClient): Promise<void> {
    const crowds = this.#crowds?.random() ?? 1;
    const count = crowds < 0.5 ? 2 + Math.floor(crowds * 10) : 1;
    const calls = await Promise.allSettled(Array.from({ length: count }, async () => this.#enqueue(client)));
    for (const call of calls) if (call.status === 'rejected') throw call.reason;
  }

  async #enqueue(client: JobClient): Promise<void> {
    const { type, workItem } = commission(this.#world);
    const options = this.#options();
    // The keys of two tenants are two keys; the key invariants know none.
    const tenant = options.key === undefined ? TENANTS[Math.floor(this.#ranks.random() * 6)] : undefined;
    const owned = tenant === undefined ? {} : { tenant };
    const all = { ...this.#settled(options), ...this.#rank(), ...owned, ...this.#patience() };
    const { id } =
      type === 'patient' ? await client.enqueue(...patientJob(workItem), all) : await client.enqueue(JOB_TYPES[type], workItem, all);
    this.#world.checks.accept(id);
  }

  #options(): EnqueueOptions {
    const { entropy, time } = this.#world;
    const draw = entropy.random();
    const delay =
      draw < 0.5 ? {} : { delay: draw < 0.75 ? this.#world.between(0, 5 * MINUTE) : this.#world.between(5 * MINUTE, 60 * MINUTE) };
    const special = entropy.random();
    if (special < 0.12) return { ...delay, key: someKey(this.#world) };
    if (special < 0.16) return { ...delay, key: { value: someKey(this.#world), for: this.#world.pick([1, 20]) * MINUTE } };
    if (special < 0.24 && this.#ownIds) return { id: jobIdFrom(time.now - (time.now % MINUTE), `own-${this.#world.between(1, 3)}`) };
    return delay;
  }

  /** Some give the job that holds their key what they want, instead of leaving it as it is. */
  #settled(options: EnqueueOptions): EnqueueOptions {
    const { key, delay: _delay, ...rest } = options;
    const draw = typeof key === 'string' && this.#choosy ? this.#keys.random() : 1;
    if (typeof key !== 'string' || draw >= 0.6) return options;
    if (draw >= 0.4) return { ...rest, key: { value: key, onConflict: 'debounce', debounce: DEBOUNCE } };
    return { ...options, key: { value: key, onConflict: draw < 0.2 ? 'replace' : 'keep-latest' } };
  }

  /** Some are of use only for a while. */
  #patience(): EnqueueOptions {
    const draw = this.#choosy ? this.#keys.random() : 1;
    return draw < 0.15 ? { startWithin: draw < 0.05 ? 0 : 10 * MINUTE } : {};
  }

  /** How urgent it is, and whether its group is more than a label. Own ids must stand for the same job each time, and these do not matter for that. */
  #rank(): Pick<EnqueueOptions, 'priority' | 'exclusive'> {
    const draw = this.#ranks.random();
    if (draw < 0.5) return {};
    return draw < 0.9 ? { priority: Math.floor((draw - 0.5) * 25) } : { exclusive: false };
  }

  async #enqueueMany(client: JobClient): Promise<void> {
    // Many at once are what limits are for.
    const type = this.#world.pick(['usual', 'usual', 'limited', 'rated', 'abroad'] as const);
    const workItems = Array.from({ length: this.#world.between(2, 12) }, () => ({
      ...commission(this.#world).workItem,
      kind: 'plain' as const,
    }));
    const { ids } = await client.enqueueMany(JOB_TYPES[type], workItems, this.#world.entropy.random() < 0.3 ? { delay: 30 * MINUTE } : {});
    for (const id of ids) if (id !== undefined) this.#world.checks.accept(id);
  }

  async #cancel(client: JobClient, id: string): Promise<CancelAnswer> {
    const answer = await client.cancel(id);
    this.#world.checks.told.cancel(id, answer);
    return answer;
  }

  /** A job that lives can be found, wherever it lies. */
  #found(id: string, found: boolean): void {
    const { checks } = this.#world;
    const state = checks.tracker.jobs.get(id)?.state ?? 'none';
    if (!found && state !== 'none' && state !== 'finished')
      checks.violations.add('found-when-asked', `${id} is ${state}, and was not found`);
  }

  /** Ids that somebody was told: docs/reference/guarantees.md says what may become of one that its producer does not know yet. */
  #someId(): string {
    const { accepted, tracker } = this.#world.checks;
    const ids = [...accepted];
    const running = ids.filter((id) => tracker.jobs.get(id)?.state === 'running');
    if (running.length > 0 && this.#world.entropy.random() < 0.5) return this.#world.pick(running);
    return ids.length === 0 ? jobIdFrom(this.#world.time.now, 'nobody') : this.#world.pick(ids.slice(-20));
  }
}

const someKey = (world: World): string => `key-${world.between(1, 3)}`;

/** A third of the patient jobs come from a producer of the older version. No chance of its own: what a seed draws stays as it is. */
function patientJob(workItem: WorkItem): readonly [typeof JOB_TYPES.patient, WorkItem] {
  return workItem.workMs % 3 === 0 ? [OLDER_PATIENT, { ...workItem, form: 1 }] : [JOB_TYPES.patient, { ...workItem, form: 2 }];
}
