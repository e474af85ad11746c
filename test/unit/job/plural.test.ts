import { expect, test } from 'vitest';
import { plural } from '../../../shared/job/plural.ts';

test('a noun is singular for one, and plural for none and for many', () => {
  expect([0, 1, 2].map((count) => `${count} ${plural(count, 'job')}`)).toEqual(['0 jobs', '1 job', '2 jobs']);
});

test('a plural that does not end in s alone is given', () => {
  expect([1, 2].map((count) => plural(count, 'try', 'tries'))).toEqual(['try', 'tries']);
});
