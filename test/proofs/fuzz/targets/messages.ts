import fc from 'fast-check';
import { groupHash } from '../../../../shared/job/hint.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';
import type { QueueRef } from '../../../../shared/ports/hints.ts';
import { sha256 } from '../../../../shared/job/hash.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';
import { idOf } from '../../../support/job-rows.ts';
import { type FuzzTarget, fuzzTarget } from '../fuzz-target.ts';

const QUEUES: readonly QueueRef[] = [
  { worker: 'default', lane: 'default', kind: 'standard' },
  { worker: 'default', lane: '', kind: 'fifo' },
];
const NAMES = ['work', '__proto__', 'constructor', 'toString', 'hasOwnProperty', 'gone'];

interface Strange {
  readonly queue: QueueRef;
  /** A whole body, or fields that replace those of a true hint. */
  readonly body: string | Readonly<Record<string, unknown>>;
  readonly about: 'nobody' | 'a job' | 'a group';
}

const strange = (): fc.Arbitrary<Strange> => {
  const value = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom<unknown>(1, 0, -1, 1.5, 2 ** 53, '__proto__', sha256('x'), groupHash('g'), idOf(5)),
  );
  const fields = fc.dictionary(fc.constantFrom('v', 'id', 'n', 'g', 'fwd', 'alone', '__proto__', 'constructor', 'type', 'more'), value, {
    maxKeys: 3,
  });
  return fc.record({
    queue: fc.constantFrom(...QUEUES),
    body: fc.oneof(
      fields,
      fields,
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc.nat(100_000).map((depth) => '['.repeat(depth)),
    ),
    about: fc.constantFrom<Strange['about']>('nobody', 'a job', 'a group'),
  });
};

/** Any message body: acknowledged, copied to the dead-letter queue or run; nothing throws and the other messages run. */
export const messages: FuzzTarget = fuzzTarget({
  name: 'messages',
  shortRuns: 60,
  longestMs: 2_000,
  input: () => fc.record({ strange: fc.array(strange(), { minLength: 1, maxLength: 4 }), type: fc.constantFrom(...NAMES) }),
  async check({ strange: bodies, type }) {
    const ran = new Map<string, number>();
    const work = defineJob('work', { payload: anyPayload });
    const rig = new Rig({
      handlers: [
        work.handle(({ job }) => {
          if (job.type !== 'work') throw new Error('not mine');
          ran.set(job.id, (ran.get(job.id) ?? 0) + 1);
        }),
      ],
    });
    const plain = await rig.client.enqueue(work, {});
    const grouped = await rig.client.enqueue(work, {}, { group: 'g' });
    // A row of a type without a handler, named like a property of every object.
    const row = await rig.tables.get('jobs', { id: plain.id });
    await rig.tables.write({ op: 'put', table: 'jobs', row: { ...row, id: idOf(9), type } });
    for (const { queue, body, about } of bodies) {
      const id = about === 'nobody' ? idOf(9) : about === 'a job' ? plain.id : grouped.id;
      const text =
        typeof body === 'string'
          ? body
          : JSON.stringify({ v: 1, id, n: 1, ...(about === 'a group' ? { g: groupHash('g') } : {}), ...body });
      rig.hints.inject(queue, text);
    }
    for (let round = 0; round < 30 && (await rig.deliver()) + (await rig.deliver()) > 0; round++) await rig.clock.advance(61_000);
    await rig.clock.advance(3_600_000);
    await rig.sweep();
    await rig.drain();
    const once = [plain.id, grouped.id].every((id) => ran.get(id) === 1);
    if (!once) throw new Error(`The jobs ran ${JSON.stringify([...ran.values()])} times instead of once each.`);
    if (ran.size > (type === 'work' ? 3 : 2)) throw new Error('A handler was called for a job that is not its own.');
    const rejected = rig.hints.deadLetters().length;
    if (rejected !== rig.journal.count('unreadable-message')) throw new Error('An unreadable message was not copied, or not counted.');
  },
});
