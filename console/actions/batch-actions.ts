import type { BatchProgress } from '../../shared/features/batches/model/batch-snapshot.ts';
import { BatchUnknownError, InvalidInputError } from '../../shared/job/errors.ts';
import type { Action, ActionAnswer } from '../page.ts';
import { type Body, contextOf, textOf } from './body-fields.ts';

/** Actions on one batch: body `{ id, reason? }`, to change its tenant `{ id, tenant?, reason? }`. */
export const BATCH_ACTIONS: readonly Action[] = [
  {
    name: 'batch-seal',
    run: async (session, body) =>
      changed(
        body,
        async (id) => session.admin.sealBatch(id, contextOf(session, body)),
        ({ id, total, state }) => `Sealed: ${id} has ${total} jobs, and is ${state}.`,
      ),
  },
  {
    name: 'batch-cancel',
    bulk: 'place',
    run: async (session, body) =>
      changed(
        body,
        async (id) => session.admin.cancelBatch(id, contextOf(session, body)),
        ({ id, pending }) => `Cancelled: ${id}. Jobs that have not ended: ${pending}.`,
      ),
  },
  {
    name: 'batch-change-tenant',
    run: async (session, body) =>
      changed(
        body,
        async (id) => session.admin.changeBatchTenant(id, textOf(body, 'tenant') ?? null, contextOf(session, body)),
        ({ id, tenant }) =>
          `${id} belongs to ${tenant === undefined ? 'no tenant' : `tenant ${tenant}`} now. Its jobs keep theirs until you change it, too.`,
      ),
  },
];

async function changed(
  body: Body,
  change: (id: string) => Promise<BatchProgress>,
  message: (batch: BatchProgress) => string,
): Promise<ActionAnswer> {
  const id = textOf(body, 'id');
  if (id === undefined) throw new InvalidInputError('id', body['id'], 'Give the id of a batch.');
  try {
    return { ok: true, message: message(await change(id)) };
  } catch (error) {
    if (error instanceof BatchUnknownError) return { ok: false, message: `There is no batch ${id} any more.` };
    throw error;
  }
}
