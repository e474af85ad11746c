import { mkdir, open, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Writes a file atomically: to a temporary file in the same folder, then renamed. Two attempts of one job write
 * neighbours of their own, and the later rename puts the same content in place.
 */
export async function writeWhole(path: string, attempt: number, chunks: AsyncIterable<string> | Iterable<string>): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const unfinished = join(dirname(path), `.${path.slice(dirname(path).length + 1)}.${attempt}.part`);
  const file = await open(unfinished, 'w');
  try {
    for await (const chunk of chunks) await file.write(chunk);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, path);
}
