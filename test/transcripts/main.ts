/** `npm run transcripts`: writes anew what each verb asks of its store and queues. */
import { VERBS } from '../proofs/orders/verbs/verbs.ts';
import { readArguments, runCommand } from '../../scripts/command-line.ts';
import { writePages } from './pages.ts';

const USAGE = `Usage: npm run transcripts

Writes anew what each verb asks of its store and queues, the pages in test/transcripts. They are saved: read the difference.
`;

await runCommand(USAGE, async (args) => {
  readArguments(args, {});
  await writePages(VERBS);
  return 0;
});
