import { createHash, timingSafeEqual } from 'node:crypto';
import type { Entropy } from '../../shared/ports/entropy.ts';

const TOKEN_BYTES = 32;

/**
 * The result of a link's token: a session for the cookie, which a browser sends to every port of this machine, and a key that only pages
 * hold; or why there is none.
 */
export type Exchange = { readonly session: string; readonly key: string } | { readonly refused: 'used' | 'unknown' };

/** Access control. Tokens exist only in memory, as digests, and end with the process. */
export interface Keys {
  /** A token for one more link. It works once; earlier links that were not opened are revoked. */
  newToken(): string;
  exchange(token: string): Exchange;
  /** Whether the text is that of a session; compared in constant time. */
  knows(session: string | undefined): boolean;
  /** Whether the key is the one that was given with this session. */
  fits(session: string | undefined, key: string | undefined): boolean;
}

/** Keys that are not claimed yet. */
export function createKeys(entropy: Pick<Entropy, 'bytes'>): Keys {
  const fresh = (): string => Buffer.from(entropy.bytes(TOKEN_BYTES)).toString('base64url');
  const sessions: Buffer[] = [];
  const pairs: Buffer[] = [];
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
      const [session, key] = [fresh(), fresh()];
      sessions.push(digest(session));
      pairs.push(digest(pairOf(session, key)));
      return { session, key };
    },
    knows: (session) => session !== undefined && isAmong(sessions, digest(session)),
    fits: (session, key) => session !== undefined && key !== undefined && isAmong(pairs, digest(pairOf(session, key))),
  };
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const pairOf = (session: string, key: string): string => JSON.stringify([session, key]);

/** Compares all of them, so that the time reveals nothing about which one matches. */
function isAmong(digests: readonly Buffer[], given: Buffer): boolean {
  return digests.reduce((found, one) => timingSafeEqual(one, given) || found, false);
}
