import { beforeEach, expect, test } from 'vitest';
import { applyChange, change } from '../../examples/ordered-groups/changes.ts';
import { createTestKit, type TestKit } from '../../testing/index.ts';

const applied: string[] = [];
const refused = new Set<string>();
let kit: TestKit;

beforeEach(() => {
  applied.length = 0;
  refused.clear();
  kit = createTestKit([
    applyChange.handle(({ payload }) => {
      if (refused.has(payload.change)) throw new Error('the account is locked');
      applied.push(`${payload.account} ${payload.change}`);
    }),
  ]);
  return kit.install();
});

test('changes behind one that fails wait for its retry, those of other accounts do not', async () => {
  refused.add('address');
  await change('ada', ['name', 'address', 'phone']);
  await change('bob', ['name']);
  await kit.drain();
  expect(applied.toSorted()).toEqual(['ada name', 'bob name']);
  refused.clear();
  await kit.clock.advance(10 * 60_000);
  await kit.drain();
  expect(applied.slice(2)).toEqual(['ada address', 'ada phone']);
});

test('an operator lets an account go on without a change that cannot be applied', async () => {
  refused.add('name');
  await change('ada', ['name', 'address']);
  await kit.drain();
  await kit.clock.advance(10 * 60_000);
  await kit.drain();
  const { held = [] } = await kit.admin.blockedGroups();
  expect(held).toMatchObject([{ group: 'ada', heldBy: { state: 'dead', failures: 2 }, waiting: 1 }]);
  expect(await kit.admin.releaseGroup(held[0]?.heldBy.id ?? '', { reason: 'the account was closed' })).toBe('released');
  await kit.drain();
  expect(applied).toEqual(['ada address']);
});
