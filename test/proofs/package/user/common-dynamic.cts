// A user's CommonJS in TypeScript, as every version takes it.
export async function enqueue(): Promise<string> {
  const { createJobClient, defineJob } = await import('nightcrew');
  const { z } = await import('zod');
  const greet = defineJob('greet', { payload: z.object({ name: z.string() }) });
  const { id } = await createJobClient().enqueue(greet, { name: 'Ada' });
  return id;
}
