import { readFileSync } from 'node:fs';

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

const ASSETS = ['console.css', 'console.js', 'actions.js', 'login.css', 'login.js', 'icon.svg'] as const;
/** Served without a session. */
const PUBLIC = new Set(['login.css', 'login.js']);

/** A file that is sent as it is. */
export interface StaticFile {
  readonly body: string;
  readonly type: string;
  readonly public: boolean;
}

/** The files of `assets`, read once and found by name alone: no request ever becomes a path of this machine. */
export function readStaticFiles(): ReadonlyMap<string, StaticFile> {
  return new Map(
    ASSETS.map((name) => {
      const body = readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8');
      return [name, { body, type: TYPES[name.split('.').at(-1) ?? ''] ?? 'text/plain', public: PUBLIC.has(name) }];
    }),
  );
}
