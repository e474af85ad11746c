import { createHash, timingSafeEqual } from 'node:crypto';
import type { Entropy } from '../../shared/ports/entropy.ts';

const TOKEN_BYTES = 32;

/** What became of a link's token: the text of a session, or why there is none. */
export type Exchange = { readonly session: string } | { readonly refused: 'used' | 'unknown' };

/** Who may look. Tokens live in memory only, as digests, and end with the process. */
export interface Keys {
  /** A token for one more link. It works once, and the links before it that nobody opened end. */
  newToken(): string;
  exchange(token: string): Exchange;
  /** Whether the text is that of a session; compared in constant time. */
  knows(session: string | undefined): boolean;
}

/** Keys that nobody holds yet. */
export function createKeys(entropy: Pick<Entropy, 'bytes'>): Keys {
  const fresh = (): string => Buffer.from(entropy.bytes(TOKEN_BYTES)).toString('base64url');
  const sessions: Buffer[] = [];
  const used: Buffer[] = [];
  let open: Buffer | undefined;
  return {
    newToken() {
      const token = fresh();
      open = digest(token);
      return token;
    },
    exchange(token) {
      const given = digest(token);
      if (open === undefined || !timingSafeEqual(open, given)) return { refused: isAmong(used, given) ? 'used' : 'unknown' };
      used.push(open);
      open = undefined;
      const session = fresh();
      sessions.push(digest(session));
      return { session };
    },
    knows: (session) => session !== undefined && isAmong(sessions, digest(session)),
  };
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Looks at all of them, so that the time says nothing about which one fits. */
function isAmong(digests: readonly Buffer[], given: Buffer): boolean {
  return digests.reduce((found, one) => timingSafeEqual(one, given) || found, false);
}
