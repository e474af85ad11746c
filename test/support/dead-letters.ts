import { expect } from 'vitest';
import { type Admin, createAdminOver } from '../../operate/admin.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { anyPayload, Rig } from './rig.ts';

/** Its jobs die at their first failure. */
export const work = defineJob('work', { payload: anyPayload, retry: 'never' });
export const other = defineJob('other', { payload: anyPayload, retry: 'never' });

/** A rig whose handlers throw as long as they are broken, and the jobs that ran in it. */
export interface DeadLetterStage {
  readonly rig: Rig;
  readonly admin: Admin;
  readonly ran: string[];
  readonly health: { broken: boolean };
}

/** An empty one, broken. */
export function brokenStage(settings: Readonly<Record<string, number>> = {}): DeadLetterStage {
  const ran: string[] = [];
  const health = { broken: true };
  const run = ({ job }: { readonly job: { readonly id: string } }): void => {
    ran.push(job.id);
    if (health.broken) throw new Error('no');
  };
  const rig = new Rig({ handlers: [work.handle(run), other.handle(run)], settings });
  return { rig, admin: createAdminOver(rig.deps), ran, health };
}

/** This many dead letters of `work`, and one of another type that must not be touched. */
export async function deadLetters(count: number): Promise<DeadLetterStage & { readonly ids: readonly string[] }> {
  const made = brokenStage();
  const { rig } = made;
  await rig.client.enqueueMany(
    work,
    Array.from({ length: count }, () => ({})),
  );
  await rig.client.enqueue(other, {});
  await rig.drain();
  const rows = await rig.rows('deadLetters');
  expect(rows).toHaveLength(count + 1);
  await rig.clock.advance(1_000);
  made.health.broken = false;
  made.ran.length = 0;
  return { ...made, ids: rows.filter(({ type }) => type === 'work').map(({ id }) => String(id)) };
}
