import { RowUnreadableError, UpcastThrewError } from '../../shared/job/errors.ts';
import { UnfitPayloadError } from '../../shared/job/validate.ts';

/** What an error may quote. */
export interface Quoting {
  /** The places in the payload whose values the text may quote; empty if it may be any of them, absent if it quotes none. */
  readonly paths?: readonly string[];
}

/** What the message of an error may quote. */
export function quotedPaths(error: unknown): Quoting {
  if (error instanceof UnfitPayloadError) return { paths: error.paths };
  return error instanceof UpcastThrewError || error instanceof RowUnreadableError ? { paths: [] } : {};
}
