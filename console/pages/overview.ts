import { html } from 'hono/html';
import { dayCharts, hourCharts } from '../overview/charts.ts';
import { heartbeats, held, incidents, workers } from '../overview/lists.ts';
import { stateTiles } from '../overview/state-tiles.ts';
import type { Page } from '../page.ts';
import { inTerminal } from '../parts/copy.ts';
import { guarded } from '../parts/guarded.ts';

/** How it goes: what is there, what ran, what is wrong. A part that cannot be read says so and leaves the others alone. */
export const overviewPage: Page = {
  path: '/',
  title: 'Overview',
  nav: { label: 'Overview', key: 'o' },
  live: true,
  render: async (request) => {
    const [top, openIncidents, ticks, hour, day, held_, workers_] = await Promise.all(
      [stateTiles, incidents, heartbeats, hourCharts, dayCharts, held, workers].map(async (part) =>
        guarded(request, `GET / (${part.name})`, async () => part(request)),
      ),
    );
    return html`${top}
      <div class="columns">${hour}</div>
      <div class="columns">${openIncidents} ${ticks} ${held_} ${workers_}</div>
      <div class="columns">${day}</div>
      ${inTerminal(request, ['stats'], ['stats', 'heartbeats'], ['doctor'])}`;
  },
};
