import { causeChain, shown } from './errors.ts';
import type { JobError } from './job.ts';
import { cutToBytes, LIMITS } from './size-limits.ts';

// oxlint-disable-next-line no-control-regex -- control characters are what it takes out (log injection, terminal escapes)
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
const SECRETS = [
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\beyJ[\w-]{8,2000}\.[\w-]{8,2000}\.[\w-]{0,2000}/g,
  /\b(?:Bearer|Basic)\s{1,4}[\w.~+/=-]{8,2000}/gi,
  /:\/\/[^\s/:@]{1,200}:[^\s/@]{1,200}@/g,
  /(?:[\w-]{0,40}(?:password|passwd|secret|token|authorization|cookie|(?:api|access|private)[-_]?key)[\w-]{0,40}|\b(?:pass|pwd|ssn|card))["']?\s{0,4}[=:]\s{0,4}["']?[^\s"',;}]{1,400}/gi,
];
const READ_CHARS = 20_000;

/** Redacted, without control characters, and without the halves of surrogate pairs that DynamoDB refuses. */
function clean(text: string): string {
  const plain = text.slice(0, READ_CHARS).replace(CONTROL, ' ').toWellFormed();
  return SECRETS.reduce((kept, secret) => kept.replace(secret, '[redacted]'), plain);
}

/** A property of a thrown value as text; its getter may throw. */
function textOf(thrown: unknown, property: 'name' | 'message' | 'stack'): string | undefined {
  try {
    const value: unknown = typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, property) : undefined;
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

function messageOf(thrown: unknown): string {
  if (thrown === undefined || thrown === null) return 'nothing was thrown';
  if (typeof thrown === 'string') return thrown;
  const message = textOf(thrown, 'message');
  if (message !== undefined) return message;
  return `${shown(thrown)} was thrown, which is no Error`;
}

/** Converts a thrown value for storage: name, message and stack with causes, capped in bytes, secrets removed. Never throws. */
export function errorText(thrown: unknown, at: number): JobError {
  const stacks = causeChain(thrown).flatMap((link) => textOf(link, 'stack')?.slice(0, READ_CHARS) ?? []);
  return {
    name:
      clean(textOf(thrown, 'name') ?? typeof thrown)
        .slice(0, LIMITS.errorNameChars)
        .toWellFormed() || 'Error',
    message: cutToBytes(clean(messageOf(thrown)), LIMITS.errorMessageBytes),
    ...(stacks.length > 0 ? { stack: cutToBytes(clean(stacks.join('\nCaused by: ')), LIMITS.errorStackBytes) } : {}),
    at,
  };
}
