import { type Admin, createAdminOver } from '../../operate/admin.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { type FaultyTables, faultyTables } from './faulty-tables.ts';
import { anyPayload, Rig } from './rig.ts';

/** A job that dies at once if its payload says that it fails. */
export const work = defineJob('work', { payload: anyPayload, retry: 'never' });

/** Two operators of one deployment. */
export interface TwoOperators {
  readonly rig: Rig;
  /** Works over the tables in which things go wrong. */
  readonly admin: Admin;
  /** The other one, with tables of his own. */
  readonly other: Admin;
  readonly faults: FaultyTables;
  /** The payloads that ran. */
  readonly ran: unknown[];
}

/** A handler of `work` that notes the payloads that ran. */
export const noting = (ran: unknown[]) =>
  work.handle(({ payload }) => {
    ran.push(payload);
    if (payload['fails'] === true) throw new Error('no');
  });

export function twoOperators(): TwoOperators {
  const ran: unknown[] = [];
  const rig = new Rig({ handlers: [noting(ran)] });
  const faults = faultyTables(rig.tables);
  return { rig, faults, ran, admin: createAdminOver({ ...rig.deps, tables: faults.tables }), other: createAdminOver(rig.deps) };
}

/** The same with a dead letter, whose payload has these fields beside. */
export async function deadOne(fields: object = {}): Promise<TwoOperators & { readonly id: string }> {
  const made = twoOperators();
  const { id } = await made.rig.client.enqueue(work, { fails: true, ...fields });
  await made.rig.drain();
  made.ran.length = 0;
  return { ...made, id };
}
