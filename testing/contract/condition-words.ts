import type { Scalar } from '../../shared/job/job.ts';
import type { Condition, Page, Row } from '../../shared/ports/tables.ts';

export const absent = (attribute: string): Condition => ({ test: 'absent', attribute });
export const present = (attribute: string): Condition => ({ test: 'present', attribute });
export const equals = (attribute: string, value: Scalar): Condition => ({ test: 'equals', attribute, value });
export const beginsWith = (attribute: string, value: string): Condition => ({ test: 'beginsWith', attribute, value });
export const atMost = (attribute: string, value: string | number): Condition => ({ test: 'atMost', attribute, value });
export const all = (...of: Condition[]): Condition => ({ test: 'all', of });
export const any = (...of: Condition[]): Condition => ({ test: 'any', of });

/** The rows of all pages, each asked for with the cursor of the one before. */
export async function everyPage(ask: (after: { readonly after?: NonNullable<Page['cursor']> }) => Promise<Page>): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (let page = await ask({}); ; page = await ask({ after: page.cursor })) {
    rows.push(...page.rows);
    if (page.cursor === undefined) return rows;
  }
}
