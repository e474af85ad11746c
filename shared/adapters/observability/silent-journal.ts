import type { Journal } from '../../ports/journal.ts';

/** For tests, and for clients that want neither logs nor metrics: takes everything, says nothing. */
export const silentJournal: Journal = { record: () => {}, gauge: () => {}, flush: () => {} };
