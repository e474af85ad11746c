/** What a heap held after so many jobs. */
export interface HeapLook {
  readonly jobs: number;
  readonly bytes: number;
}

/** From each look to the next, by how many bytes the heap grew for every `perJobs` jobs; negative where it shrank. */
export function growthPer(perJobs: number, looks: readonly HeapLook[]): readonly number[] {
  return looks.slice(1).map((look, index) => {
    const before = looks[index] as HeapLook;
    return ((look.bytes - before.bytes) * perJobs) / (look.jobs - before.jobs);
  });
}
