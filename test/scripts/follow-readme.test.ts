import { expect, test } from 'vitest';
import { pinned } from '../../scripts/follow-readme.ts';

test('the first job is followed with the versions of the lockfile, where the README names none', () => {
  const versions = { zod: '4.0.0', '@scope/name': '1.2.3' };
  expect(pinned('npm install ../a/nightcrew-0.1.0.tgz zod @scope/name other aws-cdk@2.1.0', versions)).toBe(
    'npm install ../a/nightcrew-0.1.0.tgz zod@4.0.0 @scope/name@1.2.3 other aws-cdk@2.1.0',
  );
  expect(pinned('npx zod', versions)).toBe('npx zod');
});
