import { createSweeper } from './create-sweeper.ts';

/** Entry point of the sweeper Lambda. */
export const handler: ReturnType<typeof createSweeper> = createSweeper();
