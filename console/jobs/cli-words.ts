import type { JobFilter } from '../../shared/admin/jobs/job-filter.ts';
import { instantMs } from '../../shared/core/instant.ts';
import { ANY_OF } from './job-query.ts';

/** The words of `nightcrew` that list what a filter means: its flags are the fields of the filter, in kebab-case. */
export function listCommand(filter: JobFilter): readonly string[] {
  return ['jobs', 'list', ...filterFlags(filter)];
}

/** `--reason` is why something is done. */
const FLAG_NAMES: Readonly<Record<string, string>> = { reason: 'of-reason' };

/** A filter as flags of the CLI. */
export function filterFlags(filter: JobFilter): readonly string[] {
  const { tenant, from, to, text } = filter;
  const flags = (['state', ...ANY_OF] as const).flatMap((name) =>
    [filter[name] ?? []].flat().flatMap((value) => [`--${FLAG_NAMES[name] ?? kebab(name)}`, value]),
  );
  if (tenant === null) flags.push('--no-tenant');
  else if (typeof tenant === 'object' && 'prefix' in tenant) flags.push('--tenant-prefix', tenant.prefix);
  else for (const value of [tenant ?? []].flat()) flags.push('--tenant', value);
  if (from !== undefined) flags.push('--from', new Date(instantMs(from, 'from')).toISOString());
  if (to !== undefined) flags.push('--to', new Date(instantMs(to, 'to')).toISOString());
  if (text !== undefined) flags.push('--text', text);
  return flags;
}

function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
