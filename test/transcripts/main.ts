/** `npm run transcripts`: writes anew what each verb asks of its store and queues. */
import { VERBS } from '../proofs/orders/verbs/verbs.ts';
import { writePages } from './pages.ts';

await writePages(VERBS);
