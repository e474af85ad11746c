import { ReadStoppedError } from '../../operate/read-until.ts';
import type { Html, Session } from '../page.ts';
import { errorTextOf } from '../refusals.ts';
import { notice } from './notices.ts';

/** A part of a page that shows its own failure, so that the other parts are still shown. */
export async function guarded({ onProblem }: Pick<Session, 'onProblem'>, what: string, render: () => Promise<Html>): Promise<Html> {
  try {
    return await render();
  } catch (error) {
    if (error instanceof ReadStoppedError) throw error;
    const failure = errorTextOf(error);
    if (failure.status === 500) onProblem?.(what, error);
    return notice('bad', failure.title, failure.message);
  }
}
