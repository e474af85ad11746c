import { createHash } from 'node:crypto';
import type { Change } from './change.ts';

/** Text without its layout: white space, and the comma after the last of several lines. */
const withoutLayout = (text: string): string => text.replaceAll(/\s+/g, '').replaceAll(/,(?=[)\]}])/g, '');

/** Identifies the edited text and its replacement, and nothing around them. */
export function editHash(change: Change): string {
  const passed = change.form === 'sooner' ? change.before.getText() : '';
  const text = change.form === 'sooner' ? '' : change.text;
  const edit = [passed, change.node.getText(), text].map(withoutLayout).join('\0');
  return createHash('sha256').update(edit).digest('hex').slice(0, 8);
}

/**
 * Gives mutants their ids: the name if it is unique in the file, else the name and its place, such as `2/3`. Every id of a name
 * changes when one more edit has that name, so that no explanation silently covers another edit.
 */
export function withIds<Named extends { readonly name: string }>(
  drafts: readonly Named[],
): readonly (Omit<Named, 'name'> & { readonly id: string })[] {
  const alike = Map.groupBy(drafts, ({ name }) => name);
  return drafts.map((draft) => {
    const { name, ...mutant } = draft;
    const all = alike.get(name) ?? [];
    return { id: all.length > 1 ? `${name}:${all.indexOf(draft) + 1}/${all.length}` : name, ...mutant };
  });
}
