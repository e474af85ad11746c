const XRAY = /(?:^|;)\s*Root=1-([0-9a-f]{8})-([0-9a-f]{24})(?=;|$)/i;
const PARENT = /(?:^|;)\s*Parent=([0-9a-f]{16})(?=;|$)/i;
const SAMPLED = /(?:^|;)\s*Sampled=1(?=;|$)/;

/** A trace header of X-Ray as W3C's `traceparent`; undefined if it names no trace or no parent. */
export function traceparentOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const [root, parent] = [XRAY.exec(header), PARENT.exec(header)];
  if (root === null || parent === null) return undefined;
  return `00-${root[1] ?? ''}${root[2] ?? ''}-${parent[1] ?? ''}-${SAMPLED.test(header) ? '01' : '00'}`.toLowerCase();
}
