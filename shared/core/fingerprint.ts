import { sha256 } from './hash.ts';
import type { JobError } from './job.ts';

/** Ids, numbers, quoted texts and addresses vary between two occurrences of one fault. */
const VARIABLE = /[0-9a-f]{8}-[0-9a-f-]{27}|0x[0-9a-f]+|"[^"]{0,200}"|'[^']{0,200}'|\d+/gi;

/** The same for two dead letters that died of the same fault: type, error name, message without what varies, top frame. */
export function fingerprint(type: string, error: JobError): string {
  const frame = /^\s*at (.{1,300})$/m.exec(error.stack ?? '')?.[1]?.replace(/:\d+:\d+\)?$/, '') ?? '';
  return sha256([type, error.name, error.message.replace(VARIABLE, '?'), frame].join('\n')).slice(0, 22);
}
