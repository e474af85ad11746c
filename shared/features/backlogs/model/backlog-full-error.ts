import { NightcrewError, shown } from '../../../job/errors.ts';

/** Too many jobs of the type are ready: its `maxBacklog` leaves no room for those of this call. No job was created; the same call may succeed later. */
export class BacklogFullError extends NightcrewError {
  /** The name of the job type. */
  readonly type: string;
  readonly maxBacklog: number;
  /** Ready jobs of the type when they were last counted. */
  readonly measured: number;
  readonly measuredAt: Date;
  /** Jobs of the type that this process has enqueued since. */
  readonly enqueuedSince: number;

  constructor(counts: Omit<BacklogFullError, keyof NightcrewError> & { readonly adding: number }) {
    const { type, maxBacklog, measured, measuredAt, enqueuedSince, adding } = counts;
    const fix = adding > maxBacklog ? 'Enqueue fewer at once' : "Enqueue later, raise the worker's concurrency";
    super(
      'BACKLOG_FULL',
      `maxBacklog: ${adding} more of ${shown(type)} would exceed ${maxBacklog} ready jobs. ${measured} were ready at ${measuredAt.toISOString()}, ` +
        `and this process has enqueued ${enqueuedSince} since. No job was created. ${fix}, or raise maxBacklog.`,
      { retryable: adding <= maxBacklog },
    );
    this.type = type;
    this.maxBacklog = maxBacklog;
    this.measured = measured;
    this.measuredAt = measuredAt;
    this.enqueuedSince = enqueuedSince;
  }
}
