/** The size of a heap after a number of jobs. */
export interface HeapLook {
  readonly jobs: number;
  readonly bytes: number;
}

/** The heap's growth in bytes per `perJobs` jobs, between measurements; negative if it shrank. */
export function growthPer(perJobs: number, looks: readonly HeapLook[]): readonly number[] {
  return looks.slice(1).map((look, index) => {
    const before = looks[index] as HeapLook;
    return ((look.bytes - before.bytes) * perJobs) / (look.jobs - before.jobs);
  });
}
