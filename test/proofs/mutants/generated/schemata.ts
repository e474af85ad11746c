import ts from 'typescript-5-9';
import type { Change } from './change.ts';

/** A change under the number by which it is switched on. */
export interface Switched {
  readonly number: number;
  readonly change: Change;
}

/**
 * The source with all its changes in it, each behind a switch (`__mutants.on(number)`), so that one load serves every mutant. Each round of
 * a loop is counted, so that one that never ends is noticed.
 */
export function withSwitches(source: ts.SourceFile, switched: readonly Switched[]): string {
  const { text } = source;
  const changes = Map.groupBy(switched, ({ change }) => change.node);
  const moved = Map.groupBy(
    switched.filter(({ change }) => change.form === 'sooner'),
    ({ change }) => (change.form === 'sooner' ? change.before : change.node),
  );
  const render = (node: ts.Node): string => {
    let rendered = '';
    let at = node.getStart(source);
    ts.forEachChild(node, (child) => {
      const start = child.getStart(source);
      // Types have no changes; some children (modifiers, tokens) are not in the order of the text.
      if (start < at || ts.isTypeNode(child)) return;
      rendered += text.slice(at, start) + render(child);
      at = child.getEnd();
    });
    rendered += text.slice(at, node.getEnd());
    if (ts.isIterationStatement(node.parent ?? node, false) && isBodyOf(node)) rendered = `{__mutants.round();${rendered}}`;
    for (const one of (changes.get(node) ?? []).toSorted(byForm)) rendered = behindSwitch(one, rendered);
    const earlier = (moved.get(node) ?? []).map(({ number, change }) => `if(${on(number)}){${change.node.getText(source)}}`);
    return earlier.join('') + rendered;
  };
  return render(source);
}

const FORMS: readonly Change['form'][] = ['expression', 'statement', 'catch', 'property', 'element', 'sooner'];

/** An expression is replaced within the element that may be left out. */
const byForm = (a: Switched, b: Switched): number => FORMS.indexOf(a.change.form) - FORMS.indexOf(b.change.form);

const isBodyOf = (node: ts.Node): boolean => (node.parent as ts.IterationStatement).statement === node;

const on = (number: number): string => `__mutants.on(${number})`;

function behindSwitch({ number, change }: Switched, original: string): string {
  switch (change.form) {
    case 'expression':
      return `(${on(number)}?(${change.text}):(${original}))`;
    case 'statement':
      return `{if(${on(number)}){${change.text}}else{${original}}}`;
    case 'property':
      return `...(${on(number)}?{${change.text}}:{${original}})`;
    case 'element':
      return `...(${on(number)}?[${change.text}]:[${original}])`;
    case 'sooner':
      return `{if(!${on(number)}){${original}}}`;
    case 'catch': {
      const block = original.indexOf('{');
      const head = original.slice(0, block);
      return `${head.includes('(') ? head : 'catch(__caught)'}{if(${on(number)}){${change.text}}else${original.slice(block)}}`;
    }
  }
}
