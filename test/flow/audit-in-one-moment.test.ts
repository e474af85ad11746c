import { expect, it } from 'vitest';
import type { Admin } from '../../shared/admin/admin.ts';
import { deadLetters } from '../support/dead-letters.ts';

const nothing = { state: 'dead', type: 'nothing' } as const;

it.each<[string, (admin: Admin, ids: readonly string[]) => Promise<unknown>, readonly string[]]>([
  [
    'a deployment that is switched twice',
    async (admin) => Promise.all([admin.auditActivation('activate'), admin.auditActivation('deactivate')]),
    ['deployment.activate', 'deployment.deactivate'],
  ],
  ['two dead letters that are deleted', async (admin, ids) => Promise.all(ids.map((id) => admin.delete(id))), ['delete', 'delete']],
  [
    'two bulk actions that begin and end',
    async (admin) => Promise.all([admin.bulk({ verb: 'delete' }, nothing), admin.bulk({ verb: 'redrive' }, nothing)]),
    ['bulk delete', 'bulk delete', 'bulk redrive', 'bulk redrive'],
  ],
  [
    'two bulk actions that are stopped and resumed',
    async (admin) => {
      const begin = async () => admin.bulk({ verb: 'delete' }, nothing, { signal: AbortSignal.abort() });
      const [one, two] = [await begin(), await begin()];
      await Promise.all([admin.resumeBulk(one.id ?? ''), admin.resumeBulk(two.id ?? '')]);
    },
    Array.from({ length: 8 }, () => 'bulk delete'),
  ],
])('the audit has an entry of each thing that was done in one moment: %s', async (_what, act, verbs) => {
  const { admin, ids } = await deadLetters(2);
  await act(admin, ids);
  expect((await admin.audit()).map(({ verb }) => verb).toSorted()).toEqual(verbs);
});
