import { createCleaner } from './create-cleaner.ts';

/** Entry point of the cleaner Lambda, which `largePayloads` of the construct adds. */
export const handler: ReturnType<typeof createCleaner> = createCleaner();
