/** Cookies ignore ports: consoles on one machine need different names. */
const nameFor = (port: number): string => `nightcrew-${port}`;

/** The header that gives a browser its session: out of reach of scripts, and never sent from another site. */
export function sessionCookie(session: string, port: number): string {
  return `${nameFor(port)}=${session}; Path=/; HttpOnly; SameSite=Strict`;
}

/** The session's text in a Cookie header; undefined when it is not there, or there more than once. */
export function sessionIn(header: string | undefined, port: number): string | undefined {
  const prefix = `${nameFor(port)}=`;
  const values = (header ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(prefix))
    .map((part) => part.slice(prefix.length));
  return values.length === 1 ? values[0] : undefined;
}
