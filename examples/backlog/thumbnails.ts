import * as z from 'zod/mini';
import { BacklogFullError, createJobClient, defineJob } from '../../shared/index.ts';

/** Uploads come faster than thumbnails can be made. More than 1,000 that wait are of no use to anybody. */
export const makeThumbnail = defineJob('thumbnail.make', {
  payload: z.object({ image: z.string() }),
  maxBacklog: 1_000,
});

const jobs = createJobClient();

/** Answers an upload: 503 tells the caller to come back later. */
export async function upload(image: string): Promise<202 | 503> {
  try {
    await jobs.enqueue(makeThumbnail, { image });
    return 202;
  } catch (error) {
    if (error instanceof BacklogFullError) return 503;
    throw error;
  }
}
