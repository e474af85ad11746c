import { html } from 'hono/html';
import type { JobState } from '../../shared/core/job.ts';
import type { Html } from '../page.ts';

/** What a colour says: `bad` needs somebody, `busy` is at work, `held` waits for somebody. */
export type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'held' | 'plain';

const TONES: Readonly<Record<JobState, Tone>> = {
  waiting: 'plain',
  parked: 'held',
  ready: 'busy',
  running: 'good',
  suspended: 'warn',
  dead: 'bad',
  finished: 'plain',
};

/** A short text on a coloured ground; the text alone says what is meant. */
export function pill(text: string, tone: Tone): Html {
  return html`<span class="pill ${tone}">${text}</span>`;
}

/** The state of a job. */
export function statePill(state: JobState): Html {
  return pill(state, TONES[state]);
}
