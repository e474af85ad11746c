import { defined } from '../../shared/job/defined.ts';
import { RowUnreadableError } from '../../shared/job/errors.ts';
import { sha256 } from '../../shared/job/hash.ts';
import { ERASED_KINDS, type ErasedKind, type EraseScope, type ErasureReport } from './erasure.ts';

/** The state of an erasure, as stored in its row: plain JSON, instants in epoch milliseconds. */
export interface ErasureState {
  readonly id: string;
  /** A dry run, which no row keeps. */
  readonly isDry?: true;
  readonly scope: EraseScope;
  readonly actor: string;
  readonly reason?: string;
  readonly cancelLive: boolean;
  readonly ratePerSecond: number;
  readonly startedAt: number;
  updatedAt: number;
  status: ErasureReport['status'];
  /** Where it continues: the name of a place, and a position in it. */
  place: string;
  cursor?: string | undefined;
  readonly erased: Record<ErasedKind, number>;
  cancelled: number;
  live: number;
  schedules?: number;
  failed: number;
  rows: number;
  /** Writes of its row. */
  steps: number;
  digest: string;
}

type Begun = Pick<
  ErasureState,
  'id' | 'isDry' | 'scope' | 'actor' | 'reason' | 'cancelLive' | 'ratePerSecond' | 'startedAt' | 'status' | 'place'
>;

/** An erasure that has erased nothing yet. */
export function newErasure(begun: Begun): ErasureState {
  const erased = Object.fromEntries(Object.keys(ERASED_KINDS).map((kind) => [kind, 0])) as Record<ErasedKind, number>;
  return { ...begun, updatedAt: begun.startedAt, erased, cancelled: 0, live: 0, failed: 0, rows: 0, steps: 0, digest: '' };
}

/** The state that a row keeps. Throws RowUnreadableError. */
export function parseState(text: unknown): ErasureState {
  try {
    const state = JSON.parse(String(text)) as ErasureState;
    if (typeof state?.erased === 'object' && Number.isSafeInteger(state.steps)) return state;
  } catch {
    // Reported below, like JSON of another shape.
  }
  throw new RowUnreadableError('state', text);
}

/** What its caller gets. */
export function reportOf(state: ErasureState): ErasureReport {
  const { id, isDry, scope, status, erased, cancelled, live, schedules, failed, rows, digest, startedAt, updatedAt, actor, reason } = state;
  return {
    ...(isDry === true ? {} : { id }),
    scope,
    status,
    erased: { ...erased },
    cancelled,
    live,
    failed,
    rows,
    digest,
    startedAt: new Date(startedAt),
    updatedAt: new Date(updatedAt),
    actor,
    ...defined({ schedules, reason }),
  };
}

/** The digest after a step: it covers the ids of every step before it. */
export const nextDigest = (digest: string, ids: readonly string[]): string => sha256(`${digest} ${ids.join(' ')}`);

/** An entry in the audit: at its start, when it is resumed, and at its end. It names counts and no content. */
export function erasureAudit(state: ErasureState, at: number, says: string) {
  const { scope, actor, reason, id } = state;
  const words = [scope.tenant === undefined ? [] : `tenant#${scope.tenant}`, scope.type === undefined ? [] : `type#${scope.type}`].flat();
  return {
    verb: 'erase',
    actor,
    at,
    detail: `${id}: ${says}`,
    ...(words.length === 0 ? {} : { scope: words.join(' ') }),
    ...defined({ jobId: scope.id, type: scope.type, tenant: scope.tenant, reason }),
  };
}

/** What an erasure came to, in words. */
export function endWords({ status, erased, cancelled, live, failed, digest }: ErasureState): string {
  const kinds = (Object.keys(ERASED_KINDS) as ErasedKind[]).flatMap((kind) =>
    erased[kind] === 0 ? [] : [`${erased[kind]} ${ERASED_KINDS[kind]}`],
  );
  return [
    status,
    ...(kinds.length === 0 ? ['nothing erased'] : kinds),
    ...(cancelled === 0 ? [] : [`${cancelled} live jobs cancelled`]),
    ...(live === 0 ? [] : [`${live} live jobs left`]),
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(digest === '' ? [] : [`ids sha256 ${digest}`]),
  ].join(', ');
}
