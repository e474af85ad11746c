import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const MANIFEST = join(import.meta.dirname, '..', 'package.json');

/** The version of a peer, which the bench's own package.json pins. */
export function peerVersion(name: string): string {
  const { devDependencies } = JSON.parse(readFileSync(MANIFEST, 'utf8')) as { readonly devDependencies: Readonly<Record<string, string>> };
  return devDependencies[name] ?? 'unknown';
}
