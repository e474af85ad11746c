import { createAdminOver } from '../../operate/admin.ts';
import { followUp } from '../../shared/job/follow-up.ts';
import { defineJob, type Verdict } from '../../shared/job/job-type.ts';
import { complete } from '../../shared/job/verdict.ts';
import { anyPayload, Rig, type RigOptions } from './rig.ts';

/** Jobs of a group that a failure holds back. */
export const step = defineJob('step', {
  payload: anyPayload,
  retry: 'R2/PT1H',
  group: ({ of = 'order' }) => ({ name: of as string, onFailure: 'block' }),
});
/** The same group, without a place in its order. */
export const aside = defineJob('aside', { payload: anyPayload, group: ({ of = 'order' }) => of as string });

/** Jobs that fail as often as their payload says; `ran` has the starts in order. */
export function groupStage(options: RigOptions = {}) {
  const ran: string[] = [];
  const failed = new Map<string, number>();
  const run = ({ payload }: { readonly payload: Record<string, unknown> }): Verdict | undefined => {
    const name = String(payload['name']);
    ran.push(name);
    const times = failed.get(name) ?? 0;
    failed.set(name, times + 1);
    if (times < Number(payload['fails'] ?? 0)) throw new Error('no answer');
    const next = payload['next'];
    return next === undefined ? undefined : complete({ enqueue: (next as string[]).map((one) => followUp(step, { name: one })) });
  };
  const rig = new Rig({ handlers: [step.handle(run), aside.handle(run)], ...options });
  const enqueue = async (name: string, payload: Record<string, unknown> = {}): Promise<string> =>
    (await rig.client.enqueue(step, { name, ...payload })).id;
  return { rig, ran, enqueue, admin: createAdminOver(rig.deps) };
}

/** The jobs that have a place, in the order of their groups. */
export const placesOf = async (rig: Rig): Promise<readonly string[]> =>
  (await rig.rows('control')).filter(({ sk }) => String(sk).startsWith('place#')).map(({ jobId }) => String(jobId));
