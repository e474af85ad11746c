import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';

/** A clock that lets started work proceed as far as possible before it advances: a handler is waiting on it by then. */
export class KitClock extends SettableClock {
  override async advance(ms: number): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    await super.advance(ms);
  }
}
