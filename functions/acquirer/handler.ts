import { createAcquirer } from './create-acquirer.ts';

/** Entry point of the acquirer Lambda. */
export const handler: ReturnType<typeof createAcquirer> = createAcquirer();
