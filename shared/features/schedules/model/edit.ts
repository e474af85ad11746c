import { defined } from '../../../job/defined.ts';
import { type Duration, durationMs } from '../../../job/duration.ts';
import { type Instant, instantMs, iso } from '../../../job/instant.ts';
import { checkOptions, checkTenantOrNull } from '../../../job/names.ts';
import { encodePayload } from '../../../job/payload.ts';
import { checkScheduleDefinition, type MissedPolicy, type OverlapPolicy, type ScheduleDefinition } from './definition.ts';
import { RECURRENCE_OPTIONS, type RecurrenceInput } from './recurrence.ts';

/** What to change of a schedule; what is left out stays, and `null` removes. `cron` and `every` replace each other. */
export interface ScheduleEdit {
  readonly cron?: string;
  readonly every?: string;
  readonly zone?: string | null;
  readonly dst?: RecurrenceInput['dst'] | null;
  readonly from?: Instant | null;
  readonly until?: Instant | null;
  readonly exclude?: readonly string[] | null;
  readonly payload?: unknown;
  readonly missed?: MissedPolicy;
  readonly overlap?: OverlapPolicy;
  readonly jitter?: Duration | null;
  readonly maxRuns?: number | null;
  /** Of occurrences that are planned from now on; one that was fired ahead, or runs, keeps the tenant that it has. */
  readonly tenant?: string | null;
}

const EDITS = [...RECURRENCE_OPTIONS, 'payload', 'missed', 'overlap', 'jitter', 'maxRuns', 'tenant'];

/** Refuses what is no edit, such as a field that cannot be edited. */
export function checkEdit(edit: unknown): ScheduleEdit {
  checkOptions(edit, EDITS, 'edit');
  const { tenant, dst } = edit as ScheduleEdit;
  if (dst !== undefined && dst !== null) checkOptions(dst, ['gap', 'overlap'], 'dst');
  if (tenant !== undefined) checkTenantOrNull(tenant);
  return edit as ScheduleEdit;
}

/** The names of the fields that an edit gives, in a fixed order. */
export const editedFields = (edit: ScheduleEdit): readonly string[] =>
  EDITS.filter((name) => edit[name as keyof ScheduleEdit] !== undefined);

/** The definition with an edit applied; throws InvalidInputError as `defineSchedule` does. */
export function editedDefinition(definition: ScheduleDefinition, edit: ScheduleEdit): ScheduleDefinition {
  const { payload, jitter, missed, overlap, maxRuns, tenant, cron, every, zone, dst, from, until, exclude } = edit;
  const replaced = {
    ...(cron === undefined && every === undefined ? {} : { cron: cron ?? null, every: every ?? null }),
    ...defined({ zone, dst, from: instantText(from, 'from'), until: instantText(until, 'until'), exclude }),
  };
  const edited = {
    ...definition,
    recurrence: withoutNull({ ...definition.recurrence, ...replaced }),
    ...(payload === undefined ? {} : { payload: encodePayload(payload) }),
    ...(jitter === undefined ? {} : { jitterMs: jitter === null ? 0 : durationMs(jitter, 'jitter') }),
    ...defined({ missed, overlap, maxRuns, tenant }),
  };
  return checkScheduleDefinition(withoutNull(edited));
}

function instantText(at: Instant | null | undefined, field: string): string | null | undefined {
  return at === undefined || at === null ? at : iso(instantMs(at, field));
}

function withoutNull<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Fields;
}
