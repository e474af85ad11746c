import { expect, test } from 'vitest';
import { goesAgain, within } from './watched-page.ts';

const ABORTED = new Error('page.goto: net::ERR_ABORTED at http://127.0.0.1:1/');
const INTERRUPTED = new Error('page.goto: Navigation to "/jobs" is interrupted by another navigation to "/jobs"');

/** A page whose navigations end as scripted. */
function pageOf(...ends: readonly (Error | null)[]) {
  const went: string[] = [];
  const goto = async (url: string): Promise<null> => {
    const end = ends[went.filter((each) => each !== 'loaded').length];
    went.push(url);
    if (end instanceof Error) throw end;
    return null;
  };
  return { went, page: goesAgain({ goto }, async () => went.push('loaded')) };
}

test('a navigation that the answer of a form broke off is tried again after the other load, and not forever', async () => {
  const twice = pageOf(ABORTED, INTERRUPTED, null);
  await twice.page.goto('/jobs');
  expect(twice.went).toEqual(['/jobs', 'loaded', '/jobs', 'loaded', '/jobs']);
  const always = pageOf(ABORTED, ABORTED, ABORTED, ABORTED, null);
  await expect(always.page.goto('/jobs')).rejects.toThrow('ERR_ABORTED');
  expect(always.went.filter((each) => each === '/jobs')).toHaveLength(4);
});

test('a navigation that fails for another reason is not tried again', async () => {
  const refused = pageOf(new Error('net::ERR_CONNECTION_REFUSED'), null);
  await expect(refused.page.goto('/')).rejects.toThrow('REFUSED');
  expect(refused.went).toHaveLength(1);
});

test('what hangs while it closes is left, what fails is told', async () => {
  await within(1, new Promise(() => {}));
  await expect(within(600_000, Promise.reject(new Error('no')))).rejects.toThrow('no');
});
