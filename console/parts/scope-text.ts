import type { SuspensionScope } from '../../shared/features/rules/model/rules.ts';

/** Parses the scope of a suspension, as listed by `suspensions()`; undefined if it is not a scope. */
export function scopeOf(text: string): SuspensionScope | undefined {
  if (text === 'all') return 'all';
  const [, kind = '', name = ''] = /^(type|tenant|group|schedule|batch)#(.+)$/su.exec(text) ?? [];
  if (kind === '') return undefined;
  const [, type, worker] = kind === 'type' ? (/^(.+)@([a-z][a-z0-9-]*)$/.exec(name) ?? []) : [];
  return (type === undefined || worker === undefined ? { [kind]: name } : { type, worker }) as SuspensionScope;
}

/** A scope in words. */
export function scopeWords(text: string): string {
  if (text === 'all') return 'everything';
  const at = text.indexOf('#');
  return at < 0 ? text : `${text.slice(0, at)} ${text.slice(at + 1)}`;
}
