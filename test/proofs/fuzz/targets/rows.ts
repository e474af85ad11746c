import fc from 'fast-check';
import { NightcrewError } from '../../../../shared/job/errors.ts';
import { iso } from '../../../../shared/job/instant.ts';
import type { Row } from '../../../../shared/ports/tables.ts';
import { decodeJob, decodeLeasedJob, decodeSuspendedJob, encodeJob } from '../../../../shared/store/job-codec.ts';
import { jobRow, suspendedRow, timerRow } from '../../../../shared/store/rows.ts';
import { type FuzzTarget, fuzzTarget } from '../fuzz-target.ts';
import { damaged, rowDamage } from '../hostile-rows.ts';
import { goodJob, goodSuspended, neighbourIds, RowScenario, START, TIMERS_DUE } from '../row-scenario.ts';
import { settled } from '../typed-errors.ts';

const [, , timerId = ''] = neighbourIds(3, TIMERS_DUE);
const [, readyId = ''] = neighbourIds(2, START);
const lease = { lockOwner: 'queue/0/seen', lockExpiresAt: START + 60_000 };

/** The row that is damaged, its key, and its reader. */
const PLACES = {
  jobs: { row: jobRow({ ...goodJob(readyId, START), ...lease }), key: ['id'], read: decodeLeasedJob },
  timers: { row: timerRow({ ...goodJob(timerId, TIMERS_DUE), kind: 'timer' }), key: ['shard', 'due'], read: decodeJob },
  suspended: { row: suspendedRow(goodSuspended(readyId)), key: ['id'], read: decodeSuspendedJob },
} as const;

type Place = keyof typeof PLACES;
const OPTIONAL: Row = {
  group: 'g2',
  tenant: 't',
  key: 'k2',
  keyExpiresAt: iso(START),
  retry: 'R5/PT5M',
  correlationId: 'c',
  cancelRequested: true,
  traceparent: 'x',
  tracestate: 'x',
  noHandlerTries: 2,
  errorName: 'E',
  errorMessage: 'm',
  errorStack: 's',
  errorAt: iso(START),
};

const input = () =>
  fc.constantFrom<Place>('jobs', 'timers', 'suspended').chain((place) => {
    return fc.record({ place: fc.constant(place), damage: rowDamage({ ...OPTIONAL, ...PLACES[place].row }, START) });
  });

/** Any content of a row: it is a job, or it is quarantined; other jobs still run. */
export const rows: FuzzTarget = fuzzTarget({
  name: 'rows',
  shortRuns: 60,
  longestMs: 3_000,
  input,
  async check({ place, damage }) {
    const { row: good, key, read } = PLACES[place];
    const row = damaged(good, damage, key);
    const decoded = settled(() => read(row), ['ROW_UNREADABLE']);
    if (decoded.ok) checkRoundTrip(decoded.value, read);
    const scenario = await RowScenario.lay();
    if (!(await lies(scenario, place, row))) return;
    await scenario.play();
    const { rig } = scenario;
    for (const table of ['jobs', 'timers', 'suspended'] as const) {
      for (const left of await rig.rows(table)) {
        if (!FOUND[table](left, rig.clock.now())) continue;
        const again = settled(() => PLACES[table].read(left), ['ROW_UNREADABLE']);
        if (!again.ok) throw new Error(`A row of ${table} was neither run nor set aside: ${again.error.message}`);
      }
    }
    for (const dead of await rig.rows('deadLetters')) {
      const torn = Object.entries(dead).find(([, value]) => typeof value === 'string' && !value.isWellFormed());
      if (torn) throw new Error(`${torn[0]} of a dead letter holds half a character.`);
      await rig.client.get(String(dead['id']));
    }
  },
});

/** Whether the ticks reach a row: one that is in no index, or not due, is not read. */
const FOUND: Readonly<Record<Place, (row: Row, now: number) => boolean>> = {
  jobs: ({ lockOwner, lockExpiresAt }, now) =>
    typeof lockOwner !== 'string' || typeof lockExpiresAt !== 'string' || lockExpiresAt <= iso(now),
  timers: () => true,
  suspended: (row, now) =>
    row['causeLeaf'] === PLACES.suspended.row['causeLeaf'] &&
    typeof row['suspendedAt'] === 'string' &&
    row['suspendedAt'] !== '' &&
    !(typeof row['tryAt'] === 'string' && row['tryAt'] > iso(now)),
};

function checkRoundTrip(job: ReturnType<typeof decodeJob>, read: (row: Row) => ReturnType<typeof decodeJob>): void {
  const written = JSON.stringify(encodeJob(job));
  if (JSON.stringify(encodeJob(read(encodeJob(job)))) !== written) throw new Error('Written again it is another row.');
}

/** Puts the damaged row; false when DynamoDB would not hold it either. */
async function lies({ rig }: RowScenario, table: Place, row: Row): Promise<boolean> {
  try {
    await rig.tables.write({ op: 'put', table, row });
    return true;
  } catch (error) {
    if (error instanceof NightcrewError && error.code === 'STORE_REFUSED') return false;
    throw error;
  }
}
