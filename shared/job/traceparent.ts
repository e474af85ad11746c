/** The W3C trace context of a span, as its headers carry it. `tracestate` is passed on and never read. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** The fields of a `traceparent`, in lower-case hexadecimal. */
export interface Traceparent {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: string;
}

const FIELDS = /^([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/**
 * Parses a `traceparent`; undefined for a value that W3C Trace Context tells its receiver to ignore
 * (https://www.w3.org/TR/trace-context-1/#versioning-of-traceparent). Of a version above 00 only the sampled flag is known.
 */
export function parseTraceparent(text: unknown): Traceparent | undefined {
  const found = typeof text === 'string' ? FIELDS.exec(text) : null;
  if (found === null) return undefined;
  const [, version = '', traceId = '', spanId = '', flags = '', rest] = found;
  if (version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  return { traceId, spanId, flags: version === '00' ? flags : `0${Number.parseInt(flags, 16) & 1}` };
}

/** A `traceparent` of version 00, the only one that is written here. */
export function formatTraceparent({ traceId, spanId, flags }: Traceparent): string {
  return `00-${traceId}-${spanId}-${flags}`;
}

/** Receivers must pass on 512 characters (https://www.w3.org/TR/trace-context-1/#tracestate-limits); a longer value is dropped. */
const TRACESTATE = /^[\x20-\x7e]{1,512}$/;

/** The context that two received values name. Undefined without a valid `traceparent`; a `tracestate` that is not valid is dropped. */
export function traceContextOf(traceparent: unknown, tracestate?: unknown): TraceContext | undefined {
  const parsed = parseTraceparent(traceparent);
  if (parsed === undefined) return undefined;
  const text = formatTraceparent(parsed);
  return typeof tracestate === 'string' && TRACESTATE.test(tracestate) ? { traceparent: text, tracestate } : { traceparent: text };
}

const XRAY = /(?:^|;)\s*Root=1-([0-9a-f]{8})-([0-9a-f]{24})(?=;|$)/i;
const PARENT = /(?:^|;)\s*Parent=([0-9a-f]{16})(?=;|$)/i;
const SAMPLED = /(?:^|;)\s*Sampled=1(?=;|$)/;

/** A trace header of X-Ray as W3C's `traceparent`; undefined if it names no trace or no parent. */
export function traceparentOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const [root, parent] = [XRAY.exec(header), PARENT.exec(header)];
  if (root === null || parent === null) return undefined;
  const flags = SAMPLED.test(header) ? '01' : '00';
  return traceContextOf(`00-${root[1] ?? ''}${root[2] ?? ''}-${parent[1] ?? ''}-${flags}`.toLowerCase())?.traceparent;
}
