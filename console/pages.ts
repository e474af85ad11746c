import type { Page } from './page.ts';
import { attemptsPage } from './pages/attempts.ts';
import { auditPage } from './pages/audit.ts';
import { batchesPage } from './pages/batches.ts';
import { bulkPage } from './pages/bulk.ts';
import { bulksPage } from './pages/bulks.ts';
import { deadLettersPage } from './pages/dead-letters.ts';
import { erasurePage } from './pages/erasure.ts';
import { erasuresPage } from './pages/erasures.ts';
import { errorGroupPage } from './pages/error-group.ts';
import { findPage } from './pages/find.ts';
import { groupsPage } from './pages/groups.ts';
import { jobPage } from './pages/job.ts';
import { jobsPage } from './pages/jobs.ts';
import { limitsPage } from './pages/limits.ts';
import { overviewPage } from './pages/overview.ts';
import { retentionPage } from './pages/retention.ts';
import { schedulePage } from './pages/schedule.ts';
import { schedulesPage } from './pages/schedules.ts';
import { statisticsPage } from './pages/statistics.ts';
import { suspensionsPage } from './pages/suspensions.ts';
import { uniqueKeyPage } from './pages/unique-key.ts';
import { workersPage } from './pages/workers.ts';

/** Every page; those in the navigation are in its order. */
export const PAGES: readonly Page[] = [
  overviewPage,
  jobsPage,
  attemptsPage,
  deadLettersPage,
  schedulesPage,
  suspensionsPage,
  groupsPage,
  limitsPage,
  batchesPage,
  workersPage,
  statisticsPage,
  bulksPage,
  auditPage,
  erasuresPage,
  retentionPage,
  findPage,
  uniqueKeyPage,
  jobPage,
  errorGroupPage,
  bulkPage,
  erasurePage,
  schedulePage,
];
