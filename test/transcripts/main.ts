/** `npm run transcripts`: records again what each verb requests of the store and the queues. */
import { readArguments, runCommand } from '../../scripts/command-line.ts';
import { recordPages } from './pages.ts';

const USAGE = `Usage: npm run transcripts

Records again what each verb that writes requests of the store and the queues, in test/transcripts/pages. Read the diff before you commit it.
`;

await runCommand(USAGE, async (args) => {
  readArguments(args, {});
  await recordPages();
  return 0;
});
