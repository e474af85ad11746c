import { StoreUnavailableError } from '../../shared/core/errors.ts';

/**
 * Asks once more when the store did not answer. Only for writes that name their own token: if the first one was applied and its
 * reply lost, the second one finds that token in the row.
 */
export async function retryOnce<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    return ask();
  }
}
