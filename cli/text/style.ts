import { styleText } from 'node:util';
import type { JobState } from '../../shared/job/job.ts';

/** The meaning of a text, not its look. */
export type Style = 'head' | 'quiet' | 'good' | 'warn' | 'bad' | 'busy' | 'strong';

const LOOKS: Readonly<Record<Style, Parameters<typeof styleText>[0]>> = {
  head: 'bold',
  strong: 'bold',
  quiet: 'gray',
  good: 'green',
  warn: 'yellow',
  bad: 'red',
  busy: 'cyan',
};

/** The style of a state. */
export const STATE_STYLE: Readonly<Record<JobState, Style>> = {
  waiting: 'quiet',
  parked: 'warn',
  ready: 'strong',
  running: 'busy',
  suspended: 'warn',
  dead: 'bad',
  finished: 'good',
};

/** Paints texts, or leaves them as they are. */
export function painter(colour: boolean): (style: Style, text: string) => string {
  return colour ? (style, text) => styleText(LOOKS[style], text, { validateStream: false }) : (_style, text) => text;
}
