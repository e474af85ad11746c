import { type Admin, createAdminOver } from '../../operate/admin.ts';
import { defineJob, type HandledJob, type JobHandler } from '../../shared/job/job-type.ts';
import { writeHeartbeat } from '../../shared/store/heartbeat.ts';
import { anyPayload, Rig, type RigOptions } from './rig.ts';

/** A type whose handler the stage sets. */
export const work = defineJob('work', { payload: anyPayload, retry: 'R3/PT1H' });

/** A rig with an operator who may count waiting messages, and functions whose ticks only write heartbeats. */
export interface ExplainStage {
  readonly rig: Rig;
  readonly admin: Admin;
  /** Acquirer and sweeper end a run now, in which they did nothing. */
  readonly beats: () => Promise<void>;
  /** Time passes and both of them live. */
  readonly pass: (ms: number) => Promise<void>;
}

/** A stage where both functions have just finished a run. `handler`: for jobs of `work`; default: they complete. */
export async function explainStage(handler: JobHandler = () => undefined, options: RigOptions = {}): Promise<ExplainStage> {
  const handlers: readonly HandledJob[] = [work.handle(handler), ...(options.handlers ?? [])];
  const rig = new Rig({ ...options, handlers });
  const admin = createAdminOver({ ...rig.deps, backlog: rig.hints });
  const beats = async (): Promise<void> => {
    const now = rig.clock.now();
    await Promise.all(['acquirer/0', 'sweeper'].map((who) => writeHeartbeat(rig.tables, who, now, {})));
  };
  await beats();
  return {
    rig,
    admin,
    beats,
    pass: async (ms) => {
      await rig.clock.advance(ms);
      await beats();
    },
  };
}
