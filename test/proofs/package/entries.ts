/** What a user may import. */
export const ENTRIES = [
  'nightcrew',
  'nightcrew/worker',
  'nightcrew/infra',
  'nightcrew/admin',
  'nightcrew/testing',
  'nightcrew/ports',
  'nightcrew/opentelemetry',
  'nightcrew/s3',
] as const;

/** The source of each entry. */
export const SOURCES = {
  nightcrew: async () => import('../../../shared/index.ts'),
  'nightcrew/worker': async () => import('../../../functions/index.ts'),
  'nightcrew/infra': async () => import('../../../infra/index.ts'),
  'nightcrew/admin': async () => import('../../../operate/index.ts'),
  'nightcrew/testing': async () => import('../../../testing/index.ts'),
  'nightcrew/ports': async () => import('../../../shared/adapters/own/index.ts'),
  'nightcrew/opentelemetry': async () => import('../../../shared/adapters/opentelemetry/index.ts'),
  'nightcrew/s3': async () => import('../../../shared/adapters/s3/index.ts'),
};
