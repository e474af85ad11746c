/** Encodes the bookings of a job. They are valid for its current due time only. */
export function bookedText(at: string, hashes: readonly string[]): string {
  return `${at} ${hashes.join(',')}`;
}

/** Which limits a job has booked a start with at `dueAt`. A retry or another due time makes them void. */
export function bookedHashes(booked: string | undefined, dueAt: string): ReadonlySet<string> {
  const [at, hashes = ''] = (booked ?? '').split(' ');
  return new Set(at === dueAt ? hashes.split(',') : []);
}

/** As `bookedText`, with the limit that parked the job and has released it since. The release is valid until the due time changes. */
export function releasedText(booked: string | undefined, dueAt: string, hash: string): string {
  const hashes = [...bookedHashes(booked, dueAt)];
  return `${bookedText(dueAt, hashes.length === 0 ? ['-'] : hashes)} ${hash}`;
}

/** Whether a job was released from this limit for the run for which it is due. */
export function wasReleased(booked: string | undefined, dueAt: string, hash: string): boolean {
  return releasedFrom(booked, dueAt) === hash;
}

/** The limit from which a job was released for the run for which it is due. */
export function releasedFrom(booked: string | undefined, dueAt: string): string | undefined {
  const [at, , released] = (booked ?? '').split(' ');
  return at === dueAt ? released : undefined;
}
