import { causeChain } from './errors.ts';
import type { JobError } from './job.ts';
import { cutToBytes, LIMITS } from './limits.ts';

// oxlint-disable-next-line no-control-regex -- control characters are what it takes out (log injection, terminal escapes)
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/g;
const SECRETS = [
  /\bAKIA[0-9A-Z]{16}\b/g,
  /\beyJ[\w-]{8,2000}\.[\w-]{8,2000}\.[\w-]{0,2000}/g,
  /\b(?:pass(?:word)?|secret|token|authorization|cookie|ssn|card)["']?\s{0,4}[=:]\s{0,4}["']?[^\s"',;}]{1,400}/gi,
];

function clean(text: string): string {
  return SECRETS.reduce((kept, secret) => kept.replace(secret, '[redacted]'), text.replace(CONTROL, ' '));
}

/** Whatever was thrown as a row keeps it: name, message and stack with causes, capped in bytes, secrets taken out. */
export function errorText(thrown: unknown, at: number): JobError {
  const [error] = causeChain(thrown);
  const name = error instanceof Error ? error.name : typeof error;
  const message = error instanceof Error ? error.message : String(error ?? 'nothing was thrown');
  const stacks = causeChain(thrown).flatMap((link) => (link instanceof Error && link.stack ? [link.stack.slice(0, 20_000)] : []));
  return {
    name: clean(name).slice(0, LIMITS.errorNameChars) || 'Error',
    message: cutToBytes(clean(message.slice(0, 20_000)), LIMITS.errorMessageBytes),
    ...(stacks.length > 0 ? { stack: cutToBytes(clean(stacks.join('\nCaused by: ')), LIMITS.errorStackBytes) } : {}),
    at,
  };
}
