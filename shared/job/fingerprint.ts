import { sha256 } from './hash.ts';
import type { JobError } from './job.ts';

/** Ids, numbers, quoted texts and addresses vary between two occurrences of one fault. */
const VARIABLE = /[0-9a-f]{8}-[0-9a-f-]{27}|0x[0-9a-f]+|"[^"]{0,200}"|'[^']{0,200}'|\d+/gi;

/** What is the same in the messages of two occurrences of one fault: what varies is a question mark. */
export function plainMessage(message: string): string {
  return message.replace(VARIABLE, '?');
}

const LONGEST_FRAME = 300;
/** The folders before a file: up to its package where it is one of node_modules, otherwise all of them. */
const FOLDERS = /(^|\(|async )(?:file:\/\/)?(?:[a-z]:)?[\\/](?:.*node_modules[\\/]|.*[\\/])?/i;

/**
 * The topmost frame of a stack without line, column and folder: the same code gives the same
 * frame wherever it is deployed. Undefined for an error without a stack.
 */
export function topFrame({ stack }: Pick<JobError, 'stack'>): string | undefined {
  for (const [, frame = ''] of (stack ?? '').matchAll(/^\s*at (.+)/gm)) {
    const place = frame.replace(/:\d+:\d+\)?$/, '').replace(FOLDERS, '$1');
    if (place.length <= LONGEST_FRAME) return place;
  }
  return undefined;
}

/** The same for two dead letters that died of the same fault: type, error name, message without what varies, top frame. */
export function fingerprint(type: string, error: JobError): string {
  return sha256([type, error.name, plainMessage(error.message), topFrame(error) ?? ''].join('\n')).slice(0, 22);
}
