/** An untrusted request. `headers` holds each header's raw values, by lower-case name. */
export interface RawRequest {
  readonly method: string;
  /** The request target as it came. */
  readonly target: string;
  readonly headers: Readonly<Record<string, readonly string[] | undefined>>;
}

/** Why a request is not answered. */
export interface Refusal {
  readonly status: 400 | 403 | 405 | 415;
  readonly message: string;
  /** A person followed a link of another site: the page may be opened from here. */
  readonly followed?: true;
}

const ONCE = ['host', 'origin', 'content-type', 'sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-dest'] as const;
const FRAMES = new Set(['iframe', 'frame', 'embed', 'object', 'fencedframe']);
const JSON_TYPE = /^application\/json\s*(;\s*charset=("?)utf-8\2\s*)?$/i;
const FOLLOWED = 'You came here by a link from another site, which may not read tables in your name. If this was intended, continue:';
const NOT_HERE = 'This console answers only its own pages.';

/**
 * Whether a request may be looked at: the names under which this console is reached, so that no other site's name leads here (DNS
 * rebinding); only its own pages and pages opened by a user; writes only as JSON and only from its own pages. Undefined: allowed.
 */
export function refusalOf({ method, target, headers }: RawRequest, port: number): Refusal | undefined {
  if (!target.startsWith('/') || target.startsWith('//')) return { status: 400, message: 'The address must be a path.' };
  if (ONCE.some((name) => (headers[name]?.length ?? 0) > 1)) return { status: 400, message: 'A header was sent twice.' };
  const [host, origin, contentType, site, mode, dest] = ONCE.map((name) => headers[name]?.[0]);
  const names = [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];
  if (host === undefined || !names.includes(host.toLowerCase())) {
    return { status: 403, message: `This console is only reachable as ${names[0]} or ${names[1]}.` };
  }
  if (origin !== undefined && origin !== `http://${host.toLowerCase()}`) return { status: 403, message: NOT_HERE };
  if (!['GET', 'HEAD', 'POST'].includes(method)) return { status: 405, message: 'Use GET for pages and POST for actions.' };
  if (dest !== undefined && FRAMES.has(dest)) return { status: 403, message: 'This console is not shown within another page.' };
  const opened = site === 'none' && (mode === undefined || mode === 'navigate');
  if (method !== 'POST') {
    const fromHere = site === undefined || site === 'same-origin' || opened;
    if (fromHere) return undefined;
    if (method === 'GET' && mode === 'navigate' && dest === 'document') return { status: 403, message: FOLLOWED, followed: true };
    return { status: 403, message: `${NOT_HERE} Open it by its address, not by a link from another site.` };
  }
  if (site !== 'same-origin' && !(site === undefined && origin !== undefined)) return { status: 403, message: NOT_HERE };
  if (!JSON_TYPE.test(contentType ?? '')) return { status: 415, message: 'Send the body as application/json.' };
  return undefined;
}
