import { acquireShard } from '../../functions/acquirer/acquire-shard.ts';
import { type Admin, createAdminOver } from '../../operate/admin.ts';
import { defineJob, type JobHandler } from '../../shared/job/job-type.ts';
import { defineSchedule, type ScheduleDefinition, type ScheduleOptions } from '../../shared/features/schedules/model/definition.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';
import { anyPayload, Rig, type RigOptions } from './rig.ts';

const MINUTE = 60_000;
const report = defineJob('report', { payload: anyPayload });

/** A rig whose handler records the nominal times of its runs. */
export class ScheduledRig extends Rig {
  readonly ran: string[];
  readonly admin: Admin = createAdminOver(this.deps);

  constructor(ran: string[], options: RigOptions) {
    super(options);
    this.ran = ran;
  }

  /** A tick, asked only of the shards that hold timers: the others would cost a DynamoDB a second each time. */
  async tick(): Promise<void> {
    const run = { stopAt: this.clock.now() + MINUTE, lockUntil: this.clock.now() + 2 * MINUTE };
    const shards = new Set((await this.rows('timers')).map((row) => String(row['shard'])));
    for (const shard of shards) await acquireShard(this.deps, shard, run);
  }

  /** A tick of the acquirer and every delivery that is due, each `stepMs` over a stretch of time. */
  async pass(ms: number, stepMs = MINUTE): Promise<void> {
    for (let passed = 0; passed < ms; passed += stepMs) {
      await this.tick();
      await this.clock.advance(stepMs);
      await this.drain();
    }
  }

  /** As `pass`, with the sweeper beside. */
  async passSwept(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += MINUTE) {
      await this.sweep();
      await this.pass(MINUTE);
    }
  }
}

/** Begins at 2026-03-01T00:00:10Z. */
export function scheduled(handler: JobHandler = () => undefined, options: RigOptions = {}): ScheduledRig {
  const ran: string[] = [];
  const handle: JobHandler = (context) => {
    ran.push(context.job.nominalAt?.toISOString().slice(0, 19) ?? 'without a time');
    return handler(context);
  };
  const clock = new SettableClock(Date.parse('2026-03-01T00:00:10Z'));
  return new ScheduledRig(ran, { clock, handlers: [report.handle(handle)], ...options });
}

/** A schedule of the rig's job. */
export const schedule = (
  options: Partial<ScheduleOptions<Record<string, unknown>>> & { cron?: string; every?: string },
  name = 'nightly',
): ScheduleDefinition => defineSchedule(name, { job: report, payload: { kind: name }, ...options });
