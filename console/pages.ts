import type { Page } from './page.ts';
import { auditPage } from './pages/audit.ts';

/** Every page; those with a place in the navigation stand in its order. */
export const PAGES: readonly Page[] = [auditPage];
