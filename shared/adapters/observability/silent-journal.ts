import type { JobLog } from '../../job/job-log.ts';
import type { Journal } from '../../ports/journal.ts';

/** A journal that discards everything, for tests and for clients without logs and metrics. */
export const silentJournal: Journal = { record: () => {}, gauge: () => {}, flush: () => {} };

/** A logger of jobs that discards everything. */
export const silentLog: JobLog = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
