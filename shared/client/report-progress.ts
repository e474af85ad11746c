interface Progress {
  readonly done: number;
  readonly total: number;
  readonly failed: number;
}

/** Calls the callback of a bulk enqueue. Its errors, also those of a promise, must not fail an enqueue that succeeded. */
export function reportProgress(onProgress: ((progress: Progress) => unknown) | undefined, progress: Progress): void {
  try {
    Promise.resolve(onProgress?.(progress)).catch(() => {});
  } catch {
    // It threw before it returned a promise.
  }
}
