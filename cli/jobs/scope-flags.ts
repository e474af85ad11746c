import type { SuspensionScope } from '../../shared/features/rules/model/rules.ts';
import type { Call } from '../call.ts';
import { UsageError } from '../exit.ts';
import type { Flag } from '../verb.ts';

const KINDS = ['type', 'tenant', 'group', 'schedule', 'batch'] as const;

/** The flags that name the scope of a suspension. */
export const SCOPE_FLAGS: readonly Flag[] = [
  { flags: '--type <type>', doc: 'jobs of a type; with --worker only on that worker' },
  { flags: '--worker <worker>', doc: 'only with --type: the type on one worker' },
  { flags: '--tenant <tenant>', doc: 'jobs of a tenant' },
  { flags: '--group <group>', doc: 'jobs of a group, exclusive or only a label' },
  { flags: '--schedule <name>', doc: 'jobs of a schedule' },
  { flags: '--batch <id>', doc: 'jobs of a batch' },
  { flags: '--everything', doc: 'all jobs of the deployment' },
];

/** The scope that a call names. Throws UsageError unless it is exactly one. */
export function scopeOf(call: Call): SuspensionScope {
  const given = KINDS.flatMap((kind) => {
    const name = call.text(kind);
    return name === undefined ? [] : [{ [kind]: name }];
  });
  const worker = call.text('worker');
  const [first] = given;
  if (given.length + (call.on('everything') ? 1 : 0) !== 1) {
    throw new UsageError(`use exactly one of ${KINDS.map((kind) => `--${kind}`).join(', ')} and --everything.`);
  }
  if (worker !== undefined && call.text('type') === undefined) throw new UsageError('--worker works only with --type.');
  if (first === undefined) return 'all';
  return (worker === undefined ? first : { ...first, worker }) as SuspensionScope;
}
