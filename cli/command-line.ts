import type { Call } from './call.ts';
import { plain } from './text/plain.ts';

/** A command as it is typed for the same deployment, each word quoted where a shell would take it apart. */
export function commandLine(call: Call, ...words: readonly string[]): string {
  const place = [
    ...(call.texts('stack') ?? []).flatMap((stack) => ['--stack', stack]),
    ...(call.texts('envFile') ?? []).flatMap((file) => ['--env-file', file]),
  ];
  return ['nightcrew', ...words, ...place].map(quoted).join(' ');
}

/** Placeholders such as `<n>` stay readable: they are there to be replaced. */
function quoted(word: string): string {
  return /^[\w./:@+-]+$|^<[a-z ]+>$/.test(word) ? word : `'${plain(word).replaceAll("'", "'\\''")}'`;
}
