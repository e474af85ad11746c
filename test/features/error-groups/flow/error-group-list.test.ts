import { describe, expect, it } from 'vitest';
import { InvalidInputError } from '../../../../shared/job/errors.ts';
import { executorOwner } from '../../../../shared/job/lock-owner.ts';
import { claim } from '../../../../shared/store/claim.ts';
import { rowBytes } from '../../../../shared/store/row-bytes.ts';
import { idKey } from '../../../../shared/store/rows.ts';
import { failingPayments, mail, pay } from '../../../support/failing-payments.ts';
import { summingRig } from '../../../support/summing-rig.ts';

const SECOND = 1_000;
const MINUTE = 60_000;

describe('error groups', () => {
  it('of the sweeper, and of rows that cannot be read, are there as well', async () => {
    const { rig, sweep, drain, groups } = failingPayments();
    const crashed = await rig.client.enqueue(pay, {});
    const lease = { owner: executorOwner(rig.deps.entropy.token(), true), expiresAt: rig.clock.now() + MINUTE };
    await claim(rig.tables, { id: crashed.id, n: 1 }, lease, rig.clock.now());
    await rig.tables.write({ op: 'update', table: 'jobs', key: idKey(crashed.id), set: { crashes: 2 } });
    const spoilt = await rig.client.enqueue(mail, {});
    await rig.tables.write({ op: 'update', table: 'jobs', key: idKey(spoilt.id), set: { failures: 'many' } });
    await rig.clock.advance(10 * MINUTE);
    await sweep();
    await drain();
    const all = await groups();
    expect(all.map(({ sample }) => sample).toSorted()).toEqual([crashed.id, spoilt.id].toSorted());
    expect(all.every(({ open, state }) => open === 1 && state === 'open')).toBe(true);
  });

  it('come those first that were seen last, a page at a time, by state and type', async () => {
    const { rig, admin, drain } = failingPayments();
    for (let fault = 0; fault < 7; fault++) {
      await rig.client.enqueue(pay, { why: 'abcdefg'[fault] });
      await drain();
      await rig.clock.advance(SECOND);
    }
    await rig.client.enqueue(mail, {});
    await drain();
    const messages: string[] = [];
    let next: string | undefined;
    do {
      const page = await admin.errorGroups({ limit: 3, ...(next === undefined ? {} : { after: next }) });
      messages.push(...page.groups.map(({ message }) => message));
      next = page.next;
    } while (next !== undefined);
    expect(messages).toEqual(['mail box is full', 'g', 'f', 'e', 'd', 'c', 'b', 'a']);
    expect((await admin.errorGroups({ type: 'mail' })).groups).toHaveLength(1);
    expect((await admin.errorGroups({ state: 'closed' })).groups).toEqual([]);
  });

  it('stay within one write unit, whatever their texts hold', async () => {
    const { rig, drain } = summingRig({
      handlers: [
        pay.handle(() => {
          throw Object.assign(new Error('ü'.repeat(5_000)), {
            name: 'é'.repeat(400),
            stack: `Error\n    at ${'x'.repeat(280)} (file.ts:1:2)`,
          });
        }),
      ],
    });
    await rig.client.enqueue(pay, {});
    await drain();
    const row = (await rig.rows('control')).find(({ pk }) => pk === 'error-groups') ?? {};
    expect(rowBytes(row)).toBeLessThanOrEqual(1024);
    expect(String(row['message']).length).toBeGreaterThan(50);
  });

  it('that are damaged are shown as far as they can be read', async () => {
    const { rig, admin } = failingPayments();
    await rig.tables.write({ op: 'put', table: 'control', row: { pk: 'error-groups', sk: 'x', seen: 'many', lastSeen: true } });
    expect((await admin.errorGroups({ state: 'all' })).groups).toMatchObject([{ fingerprint: 'x', seen: 0, open: 0, message: '' }]);
  });

  it.each([
    [{ state: 'gone' }, 'state'],
    [{ limit: 0 }, 'limit'],
    [{ limit: 1_001 }, 'limit'],
    [{ type: 1 }, 'type'],
    [{ after: 'no cursor' }, 'after'],
    [{ afterwards: 'x' }, 'options'],
  ])('refuse %j and name the field', async (options, field) => {
    const error = await failingPayments()
      .admin.errorGroups(options as never)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidInputError);
    expect((error as Error).message).toContain(field);
  });
});
