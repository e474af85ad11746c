import { html } from 'hono/html';
import { dayCharts, hourCharts } from '../overview/charts.ts';
import { errorGroups, heartbeats, held, workers } from '../overview/lists.ts';
import { stateTiles } from '../overview/state-tiles.ts';
import type { Page } from '../page.ts';
import { inTerminal } from '../parts/copy.ts';
import { guarded } from '../parts/guarded.ts';

/** The overview: current jobs, recent runs, and problems. A part that fails shows its error and does not affect the others. */
export const overviewPage: Page = {
  path: '/',
  title: 'Overview',
  nav: { label: 'Overview', key: 'o' },
  live: true,
  render: async (request) => {
    const [top, openGroups, ticks, hour, day, held_, workers_] = await Promise.all(
      [stateTiles, errorGroups, heartbeats, hourCharts, dayCharts, held, workers].map(async (part) =>
        guarded(request, `GET / (${part.name})`, async () => part(request)),
      ),
    );
    return html`${top}
      <div class="columns">${hour}</div>
      <div class="columns">${openGroups} ${ticks} ${held_} ${workers_}</div>
      <div class="columns">${day}</div>
      ${inTerminal(request, ['stats'], ['stats', 'heartbeats'], ['doctor'])}`;
  },
};
