import { isDeepStrictEqual } from 'node:util';
import type { Condition, SingleWrite } from '../../../../shared/ports/tables.ts';
import { type Call, presentCall } from '../world/named-calls.ts';
import type { AnswerInvariants } from './answer-invariants.ts';
import { InvalidRequestError } from './invalid-request.ts';

/** A write that a process has asked for and that was not answered yet. */
export interface PendingWrite {
  readonly write: SingleWrite;
  readonly invariants: AnswerInvariants;
  /** The verb that it is a step of. */
  readonly call: Call | undefined;
}

/** The writes that a process waits for. A request that carries several belongs to several of its calls. */
export class PendingWrites {
  readonly #pending: PendingWrite[] = [];

  /** Notes one; the result ends that. */
  add(write: SingleWrite, invariants: AnswerInvariants): () => void {
    const pending = { write, invariants, call: presentCall() };
    this.#pending.push(pending);
    return () => void this.#pending.splice(this.#pending.indexOf(pending), 1);
  }

  /** The first one that says what a statement says. Throws InvalidRequestError if there is none: nobody has asked for that. */
  find(stated: SingleWrite): PendingWrite {
    const found = this.#pending.find(({ write }) => isDeepStrictEqual(plain(write), plain(stated)));
    if (found === undefined) throw new InvalidRequestError(`nobody asked for ${JSON.stringify(stated)}`);
    return found;
  }
}

/** What a write says, however it says it. */
function plain(write: SingleWrite): unknown {
  const condition = write.condition === undefined ? undefined : flat(write.condition);
  if (write.op === 'put') return { ...write, condition };
  const { op, table, key } = write;
  if (op === 'delete') return { op, table, key, condition };
  return { op, table, key, set: write.set, remove: write.remove ?? [], add: write.add ?? {}, condition };
}

/** A list of one condition says what the condition says. */
function flat(condition: Condition): Condition {
  if (condition.test !== 'all' && condition.test !== 'any') return condition;
  return condition.of.length === 1 ? flat(condition.of[0] as Condition) : { ...condition, of: condition.of.map(flat) };
}
