import { html } from 'hono/html';
import type { JobState } from '../../shared/job/job.ts';
import type { Html } from '../page.ts';

/** The meaning of a colour: `bad` needs attention, `busy` is working, `held` waits for an operator. */
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

/** A short text on a coloured background; the text alone carries the meaning. */
export function pill(text: string, tone: Tone): Html {
  return html`<span class="pill ${tone}">${text}</span>`;
}

/** The state of a job. */
export function statePill(state: JobState): Html {
  return pill(state, TONES[state]);
}
