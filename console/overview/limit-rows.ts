import type { LimitUses } from '../../shared/features/limits/admin/limit-use.ts';
import type { PageRequest } from '../page.ts';
import { pill } from '../parts/pills.ts';
import type { Cell } from '../parts/table.ts';
import { look, SELDOM_MS } from './figures.ts';

/** Limits under which jobs are parked; at most every 15 s, because the parked jobs are read to be counted. */
export async function limitUse(request: PageRequest): Promise<LimitUses> {
  return look(request, 'limits', SELDOM_MS, async () => request.admin.limits());
}

/** The rows of the limits under which jobs wait, for the overview. */
export async function limitRows(request: PageRequest): Promise<readonly { readonly href: string; readonly cells: Cell[] }[]> {
  const { limits, complete } = await limitUse(request);
  const rows = limits.map(({ limit, held: taken, parked, exact }) => ({
    href: '/limits',
    cells: [pill('limit', 'held'), limit, `${taken} run, ${parked}${exact ? '' : ' or more'} wait`] as Cell[],
  }));
  if (complete) return rows;
  return [...rows, { href: '/limits', cells: [pill('limit', 'held'), 'others', 'jobs wait under more limits than were looked at'] }];
}
