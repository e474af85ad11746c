import { StoreUnavailableError } from '../../../shared/job/errors.ts';

/**
 * Retries once if the store did not answer. Only for writes with their own token: if the first one was applied and its
 * reply lost, the second one finds the token in the row.
 */
export async function retryOnce<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    return ask();
  }
}
