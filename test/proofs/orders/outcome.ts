import { keyOf, TABLE_SPECS } from '../../../shared/ports/table-spec.ts';
import type { Row, TableName } from '../../../shared/ports/tables.ts';
import type { World } from '../simulation/world/world.ts';
import { isForPeople } from './requests.ts';

const TABLES = Object.keys(TABLE_SPECS) as readonly TableName[];
/** What differs between two orders that are the same: instants, and what is drawn. */
const INSTANT = /\d{4}-\d\d-\d\dT[\d:.]+Z|\b\d{4}-\d\d-\d\d\b/g;
const ID = /[\da-f]{8}-[\da-f]{4}-[\da-f-]{22}/g;
const DRAWN = /[\w-]{22}(?=[/"]|$)/g;
const SECONDS = /\b\d{10,13}\b/g;

const withoutTimes = (text: string): string =>
  text.replaceAll(INSTANT, 'then').replaceAll(ID, 'id').replaceAll(DRAWN, 'token').replaceAll(SECONDS, 'then');

/** What the actors were told, how each job ended, and every row that decides anything; the same for orders that do not differ. */
export function outcomeOf({ store, checks }: World, answers: Readonly<Record<string, string>>): string {
  const told = Object.entries(answers).map((answer) => answer.join(': '));
  const jobs = [...checks.tracker.jobs.values()].map(({ state, outcome = '' }) => `${state} ${outcome}`);
  const rows = TABLES.flatMap((table) => store.tables.rows(table).flatMap((row) => rowText(table, row)));
  return withoutTimes(JSON.stringify([told.toSorted(), jobs.toSorted()])) + [...rows].toSorted().join('\n');
}

function rowText(table: TableName, row: Row): readonly string[] {
  const name = `${table} ${Object.values(keyOf(TABLE_SPECS[table], row)).join('/')}`;
  if (isForPeople(name)) return [];
  const { shard: _shard, ...rest } = row;
  return [`${table} ${withoutTimes(JSON.stringify(Object.entries(rest).toSorted(([a], [b]) => a.localeCompare(b))))}`];
}
