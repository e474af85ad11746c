import { ANY_OF, type JobFilter, type ListOrder, VALUE_FIELDS, wordsOf } from '../../operate/jobs/job-filter.ts';
import { NUMBERS, paramsOfFilter, TIMES } from '../../operate/jobs/filter-params.ts';
import { rangeText } from '../../operate/jobs/number-range.ts';
import { instantMs } from '../../shared/job/instant.ts';

/** The `nightcrew` command that lists a filter: its flags are the fields of the filter, in kebab-case. */
export function listCommand(filter: JobFilter, order?: ListOrder): readonly string[] {
  return ['jobs', 'list', ...filterFlags(filter), ...(order === undefined ? [] : ['--order', order])];
}

/** A filter as flags of the CLI. */
export function filterFlags(filter: JobFilter): readonly string[] {
  const { tenant, hasError, text, or = [] } = filter;
  const flags = (['state', ...ANY_OF] as const).flatMap((name) =>
    [filter[name] ?? []].flat().flatMap((value) => [`--${kebab(name === 'state' ? name : (VALUE_FIELDS[name].option ?? name))}`, value]),
  );
  if (tenant === null) flags.push('--no-tenant');
  else if (typeof tenant === 'object' && 'prefix' in tenant) flags.push('--tenant-prefix', tenant.prefix);
  else for (const value of [tenant ?? []].flat()) flags.push('--tenant', value);
  for (const name of TIMES) {
    const at = filter[name];
    if (at !== undefined) flags.push(`--${kebab(name)}`, new Date(instantMs(at, name)).toISOString());
  }
  for (const name of NUMBERS) {
    const range = filter[name];
    // A negative number would look like an option.
    if (range !== undefined) flags.push(`--${name}=${rangeText(range)}`);
  }
  if (hasError !== undefined) flags.push(hasError ? '--with-error' : '--without-error');
  if (text !== undefined) flags.push('--text', text);
  for (const one of or) flags.push('--or', paramsOfFilter(one).toString());
  return flags;
}

const kebab = (name: string): string => wordsOf(name, '-');
