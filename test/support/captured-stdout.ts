import { vi } from 'vitest';

/** The output of `work` on stdout and stderr, by lines, each parsed as JSON. */
export function capturedJson(work: () => void): readonly Readonly<Record<string, unknown>>[] {
  const chunks: string[] = [];
  const take = (chunk: string | Uint8Array): boolean => {
    chunks.push(String(chunk));
    return true;
  };
  const spies = [vi.spyOn(process.stdout, 'write').mockImplementation(take), vi.spyOn(process.stderr, 'write').mockImplementation(take)];
  try {
    work();
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return chunks
    .join('')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
