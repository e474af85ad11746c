import { decodeHint, type Hint, type HintBody } from '../../../../shared/job/hint.ts';
import { isQueueOwner } from '../../../../shared/job/lock-owner.ts';
import { MAX_CLOCK_SKEW_MS } from '../../../../shared/job/lease.ts';
import type { ReceivedHint } from '../../../../shared/ports/hints.ts';
import type { Row, SingleWrite } from '../../../../shared/ports/tables.ts';
import { decodeLeasedJob } from '../../../../shared/store/job-codec.ts';
import type { SimProcess } from '../world/sim-process.ts';
import type { SimQueues } from '../world/sim-queues.ts';
import type { JobTracker, Step } from './job-tracker.ts';
import type { Violations } from './violations.ts';

interface MadeReady {
  readonly id: string;
  readonly n: number;
  readonly verb: string;
}

/** How often an executor asks for one outcome before it leaves it to the sweeper. */
const RECORD_TRIES = 3;
/** What is left to the sweeper after one answer that did not come: the next look need not get one either. */
const ASKED_ONCE: ReadonlySet<string> = new Set(['enqueue', 'release', 'call back']);

/** Holds what is sent and what is done with messages against what was written. */
export class HintInvariants {
  readonly #violations: Violations;
  readonly #tracker: JobTracker;
  readonly #queues: SimQueues;
  readonly #now: () => number;
  /** What each process made ready in its present work. */
  readonly #ready = new Map<SimProcess, MadeReady[]>();
  /** Ids whose claim was refused because a newer hint exists, with who asked and that hint. */
  readonly #stale = new Map<SimProcess, Map<string, { readonly asked: string; readonly n: number }>>();
  /** Owners under which each process claimed jobs. */
  readonly #claims = new Map<SimProcess, Map<string, string>>();
  /** Jobs that each process started in its present work beside others, by the owner of their claim. A claim that arrives late starts nothing. */
  readonly #beside = new Map<SimProcess, Set<string>>();

  constructor(deps: {
    readonly violations: Violations;
    readonly tracker: JobTracker;
    readonly queues: SimQueues;
    readonly now: () => number;
  }) {
    this.#violations = deps.violations;
    this.#tracker = deps.tracker;
    this.#queues = deps.queues;
    this.#now = deps.now;
  }

  see({ entry: { id }, to, by, before, after, verb }: Step): void {
    if (verb === 'claim' || verb === 'take over') this.#noteOf(this.#claims, by).set(id, String(after?.['lockOwner']));
    // The refusal of an earlier attempt may never have reached it.
    if (verb === 'claim') this.#stale.get(by)?.delete(id);
    // Changed where it lies: its message is under way already.
    if (to !== 'ready' || before?.['dispatches'] === after?.['dispatches']) return;
    // What an earlier invocation asked for, and arrives in this one, is the sweeper's.
    const runner = String(before?.['lockOwner'] ?? '');
    if (by.role === 'executor' && /^(run|alone)\//.test(runner) && this.#claims.get(by)?.get(id) !== runner) return;
    const made = this.#ready.get(by) ?? [];
    made.push({ id, n: Number(after?.['dispatches']), verb });
    this.#ready.set(by, made);
  }

  started(by: SimProcess, id: string): void {
    if (this.#claims.get(by)?.get(id)?.startsWith('run/') !== true) return;
    this.#beside.set(by, (this.#beside.get(by) ?? new Set()).add(id));
  }

  sent(by: SimProcess, { id, n }: Hint): void {
    const entry = this.#tracker.jobs.get(id);
    // A row that was set aside as unreadable does not say.
    const written = entry === undefined ? 0 : Number(entry.row['dispatches'] ?? n);
    if (n > written) this.#violations.add('sent-after-commit', `${by.name} sent ${id} n=${n}, its row says ${written}`);
  }

  refused(by: SimProcess, write: SingleWrite, row: Row): void {
    const asked = write.op === 'update' && write.table === 'jobs' ? String(write.set['lockOwner'] ?? '') : '';
    const owner = String(row['lockOwner']);
    if (!/^(run|alone)\//.test(asked) || owner === asked) return;
    // Who lost a take-over saw a dead lease before, and looks again when the new one ends.
    const takesOver = write.op === 'update' && 'crashes' in write.set;
    const ranOut = !isQueueOwner(owner) && Date.parse(String(row['lockExpiresAt'])) <= this.#now() + MAX_CLOCK_SKEW_MS;
    // A row that cannot be read says nothing: its executor sets it aside, or leaves it to whoever holds it.
    const says = isReadable(row) && !ranOut && !takesOver;
    const stale = this.#noteOf(this.#stale, by);
    const id = String(row['id']);
    const before = stale.get(id);
    const n = says ? Number(row['dispatches']) : 0;
    // Of several attempts at one claim, the one that came first may be the only one whose answer arrived.
    stale.set(id, { asked, n: before?.asked === asked ? Math.min(before.n, n) : n });
  }

  begin(by: SimProcess): void {
    this.#ready.delete(by);
    this.#stale.delete(by);
    this.#claims.delete(by);
    this.#beside.delete(by);
  }

  /** After work that ended: what it made ready was sent, unless its store did not answer, or the message that led to it comes back. */
  ended(by: SimProcess, back: ReadonlySet<string> = new Set()): void {
    // Who stood still for longer than a transaction's token lives takes his own transaction for another's.
    const outlivedTokens = by.pauses > 0 && (by.role === 'client' || by.role === 'admin');
    for (const { id, n, verb } of outlivedTokens ? [] : (this.#ready.get(by) ?? [])) {
      const tries = by.role === 'executor' && !ASKED_ONCE.has(verb) ? RECORD_TRIES : 1;
      const entry = this.#tracker.jobs.get(id);
      // By an older hint somebody may have claimed it before its reply came.
      const waits = entry?.state === 'ready' && entry.row['dispatches'] === n && isReadable(entry.row);
      if (!waits || this.#queues.sends.has(`${id}#${n}`) || back.has(id) || (by.givenUp.get(id) ?? 0) >= tries) continue;
      this.#violations.add('nothing-unsent', `${by.name} made ${id} ready (${verb}, n=${n}) and sent nothing`);
    }
    this.#ready.delete(by);
  }

  /** After a batch that ended: acknowledged messages are settled, returned ones still count. */
  handled(by: SimProcess, messages: readonly ReceivedHint[], returned: readonly string[]): void {
    const read = messages.flatMap((message) => {
      const hint = readHint(message);
      return hint === undefined
        ? []
        : [{ hint, suspect: hint.alone === 1 || message.receiveCount > 1, returned: returned.includes(message.messageId) }];
    });
    this.ended(by, new Set(read.filter((one) => one.returned).map(({ hint }) => hint.id)));
    for (const one of read) {
      const { id, n } = one.hint;
      if (read.filter(({ hint }) => hint.id === id).length > 1) continue;
      if (one.suspect && this.#beside.get(by)?.has(id) === true)
        this.#violations.add('runs-alone', `${by.name} ran ${id} beside others, though it may have killed a process`);
      if (one.returned) {
        // Where the store's answer never came nobody knows that it is stale.
        if ((this.#stale.get(by)?.get(id)?.n ?? 0) > n && !by.givenUp.has(id))
          this.#violations.add('stale-dropped', `${by.name} keeps the hint ${id} n=${n}, though a newer one exists`);
      } else this.#checkKept(by, one.hint);
    }
  }

  /** A message is acknowledged, by a process that does so one by one. */
  acknowledged(by: SimProcess, message: ReceivedHint): void {
    const hint = readHint(message);
    if (hint !== undefined) this.#checkKept(by, hint);
  }

  /** The same as after a batch, of a process that acknowledged its messages one by one. */
  drained(by: SimProcess, back: readonly ReceivedHint[]): void {
    this.ended(by, new Set(back.flatMap((message) => readHint(message)?.id ?? [])));
  }

  #noteOf<Value>(notes: Map<SimProcess, Map<string, Value>>, by: SimProcess): Map<string, Value> {
    const note = notes.get(by) ?? new Map<string, Value>();
    notes.set(by, note);
    return note;
  }

  /** A hint that was acknowledged while it is the newest of a job that nobody claimed. */
  #checkKept(by: SimProcess, { id, n }: HintBody): void {
    const entry = this.#tracker.jobs.get(id);
    if (entry?.state !== 'ready' || entry.row['dispatches'] !== n || by.givenUp.has(id)) return;
    // A hint that was forwarded was sent twice.
    if ((this.#queues.sends.get(`${id}#${n}`)?.accepted ?? 0) > 1) return;
    this.#violations.add('hint-kept', `${by.name} acknowledged ${id} n=${n}, which nobody claimed`);
  }
}

/** A row that was spoiled meanwhile is nobody's job any more: it is set aside at the next look, or when its lease ends. */
export function isReadable(row: Row): boolean {
  try {
    decodeLeasedJob(row);
    return true;
  } catch {
    return false;
  }
}

function readHint({ body }: ReceivedHint): HintBody | undefined {
  try {
    return decodeHint(body);
  } catch {
    return undefined;
  }
}
