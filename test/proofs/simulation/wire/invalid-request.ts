import type { VirtualTime } from '../world/virtual-time.ts';

/** A request that DynamoDB, or this stand-in for it, does not know. */
export class InvalidRequestError extends Error {
  override readonly name = 'ValidationException';
}

/** Whatever an adapter says must be understood: a request that cannot be read breaks the world in which it was made. */
export function understood<Asked>(time: VirtualTime, read: () => Asked): Asked {
  try {
    return read();
  } catch (error) {
    time.after(0, () => {
      throw error;
    });
    throw error;
  }
}
