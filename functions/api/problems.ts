import {
  ChainLimitError,
  IdInUseError,
  InvalidInputError,
  KeyContestedError,
  NightcrewError,
  PayloadTooLargeError,
  StoreUnavailableError,
} from '../../shared/job/errors.ts';
import { defined } from '../../shared/job/defined.ts';

/** Kinds of problems in a response, each with its HTTP status and title. */
export const PROBLEMS = {
  'invalid-input': { status: 400, title: 'The request is not valid.' },
  'not-found': { status: 404, title: 'There is nothing at this address.' },
  'method-not-allowed': { status: 405, title: 'This address does not take the method.' },
  'lock-lost': { status: 409, title: 'The lock does not hold the job.' },
  'id-in-use': { status: 409, title: 'Another job, or a dead letter, has this id.' },
  'too-large': { status: 413, title: 'The request is too large.' },
  'not-json': { status: 415, title: 'The body is not JSON.' },
  unavailable: { status: 503, title: 'The request cannot be served at the moment.' },
} as const;

export type ProblemName = keyof typeof PROBLEMS;

/** What a problem says besides its kind. */
export interface ProblemDetails {
  readonly detail: string;
  /** Further members of the document. */
  readonly more?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request that cannot be served, as the response describes it. */
export class ProblemError extends Error {
  readonly kind: ProblemName;
  readonly details: ProblemDetails;

  constructor(kind: ProblemName, details: ProblemDetails) {
    super(details.detail);
    this.name = new.target.name;
    this.kind = kind;
    this.details = details;
  }
}

const RETRY_LATER = { headers: { 'retry-after': '1' } } as const;

/** The problem that an error means to a caller; undefined for a failure of the function itself, which Lambda must see. */
export function problemOf(error: unknown): ProblemError | undefined {
  if (error instanceof ProblemError) return error;
  if (!(error instanceof NightcrewError)) return undefined;
  const { message: detail } = error;
  if (error instanceof InvalidInputError) {
    const { field, fix } = error;
    return new ProblemError('invalid-input', { detail, more: { field, fix } });
  }
  if (error instanceof ChainLimitError) {
    const fix = 'Complete the job without follow-ups, or report an error.';
    return new ProblemError('invalid-input', { detail, more: { field: 'enqueue', fix } });
  }
  if (error instanceof PayloadTooLargeError) return new ProblemError('too-large', { detail, more: { limit: error.limit } });
  if (error instanceof IdInUseError) return new ProblemError('id-in-use', { detail });
  if (error instanceof StoreUnavailableError || error instanceof KeyContestedError) {
    return new ProblemError('unavailable', { detail, ...RETRY_LATER });
  }
  return undefined;
}

/** The document of a problem (RFC 9457). */
export function problemDocument({ kind, details }: ProblemError): Readonly<Record<string, unknown>> {
  const { status, title } = PROBLEMS[kind];
  return { type: `urn:nightcrew:problem:${kind}`, title, status, detail: details.detail, ...defined(details.more ?? {}) };
}
