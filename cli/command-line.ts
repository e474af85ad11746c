import type { OpenDeployment } from './deployments/open-deployment.ts';
import { plain } from './text/plain.ts';

/** A command as it is typed for one deployment, whichever others were asked too; each word quoted where a shell would take it apart. */
export function commandLine({ words: place }: Pick<OpenDeployment, 'words'>, ...words: readonly string[]): string {
  return ['nightcrew', ...words, ...place].map(quoted).join(' ');
}

/** Placeholders such as `<n>` stay readable: they are there to be replaced. */
function quoted(word: string): string {
  return /^[\w./:@+-]+$|^<[a-z ]+>$/.test(word) ? word : `'${plain(word).replaceAll("'", "'\\''")}'`;
}
