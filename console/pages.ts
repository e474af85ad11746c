import type { Page } from './page.ts';
import { auditPage } from './pages/audit.ts';
import { bulkPage } from './pages/bulk.ts';
import { bulksPage } from './pages/bulks.ts';
import { deadLettersPage } from './pages/dead-letters.ts';
import { errorGroupPage } from './pages/error-group.ts';
import { findPage } from './pages/find.ts';
import { jobPage } from './pages/job.ts';
import { jobsPage } from './pages/jobs.ts';

/** Every page; those with a place in the navigation stand in its order. */
export const PAGES: readonly Page[] = [jobsPage, deadLettersPage, bulksPage, auditPage, jobPage, errorGroupPage, bulkPage, findPage];
