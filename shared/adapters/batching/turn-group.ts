/** A request of this turn, and what resolves the promise that its caller waits for. */
export interface PendingRequest<Request, Answer> {
  readonly request: Request;
  readonly resolve: (answer: Answer) => void;
}

/** Gathers the requests of one turn of the event loop. Each caller waits until `send` resolves its request. */
export class TurnGroup<Request, Answer> {
  readonly #afterTurn: (run: () => void) => void;
  readonly #send: (group: readonly PendingRequest<Request, Answer>[]) => void;
  #waiting: PendingRequest<Request, Answer>[] = [];

  /** `afterTurn` calls back when the present turn has ended; `send` must not throw. */
  constructor(afterTurn: (run: () => void) => void, send: (group: readonly PendingRequest<Request, Answer>[]) => void) {
    this.#afterTurn = afterTurn;
    this.#send = send;
  }

  join(request: Request): Promise<Answer> {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    if (this.#waiting.length === 0) this.#afterTurn(() => this.#end());
    this.#waiting.push({ request, resolve });
    return promise;
  }

  #end(): void {
    const group = this.#waiting;
    this.#waiting = [];
    this.#send(group);
  }
}
