import type { BulkSample } from '../../operate/bulk/bulk-verbs.ts';
import { cutToBytes, utf8Bytes } from '../../shared/job/size-limits.ts';
import { plain } from '../text/plain.ts';

const SHOWN_BYTES = 2 * 1024;

/** One job of a dry run, with as much of its payload before and after as fits. */
export function sampleLines({ id, before, after, problem }: BulkSample): readonly string[] {
  return [
    `For example ${plain(id)}:`,
    ...(before === undefined ? [] : [`  before  ${cut(before)}`]),
    ...(after === undefined ? [] : [`  after   ${cut(after)}`]),
    ...(problem === undefined ? [] : [`  left alone: ${plain(problem)}`]),
  ];
}

function cut(json: string): string {
  const start = cutToBytes(json, SHOWN_BYTES);
  const more = utf8Bytes(json) - utf8Bytes(start);
  return more === 0 ? plain(json) : `${plain(start)} ... (${more} more bytes: --dry-run --json shows all)`;
}
