import { SettableClock } from '../../adapters/memory/settable-clock.ts';

/** A clock that lets what was started get as far as it can before time goes on: a handler is waiting on it by then. */
export class KitClock extends SettableClock {
  override async advance(ms: number): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    await super.advance(ms);
  }
}
