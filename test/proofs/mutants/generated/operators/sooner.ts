import ts from 'typescript-5-9';
import type { Change } from '../change.ts';

/** Sends before it commits: an awaited call is done before the awaited one above it, unless it needs what that one gives. */
export function sooner(node: ts.Node): readonly Change[] {
  if (!ts.isExpressionStatement(node) || !ts.isBlock(node.parent) || !awaits(node)) return [];
  const { statements } = node.parent;
  const used = namesIn(node);
  for (let at = statements.indexOf(node) - 1; at >= 0; at--) {
    const above = statements[at];
    if (above === undefined || ends(above) || declares(above).some((name) => used.has(name))) return [];
    if (awaits(above)) return [{ operator: 'swap-awaits', node, form: 'sooner', before: above }];
  }
  return [];
}

const ends = (node: ts.Statement): boolean => ts.isReturnStatement(node) || ts.isThrowStatement(node);

/** Something in it is awaited, not counting functions that it only makes. */
function awaits(node: ts.Node): boolean {
  if (ts.isAwaitExpression(node)) return true;
  if (ts.isFunctionLike(node)) return false;
  return ts.forEachChild(node, (child) => awaits(child) || undefined) ?? false;
}

function namesIn(node: ts.Node): ReadonlySet<string> {
  const names = new Set<string>();
  const look = (one: ts.Node): void => {
    if (ts.isIdentifier(one)) names.add(one.text);
    ts.forEachChild(one, look);
  };
  look(node);
  return names;
}

const declares = (node: ts.Statement): readonly string[] =>
  ts.isVariableStatement(node) ? node.declarationList.declarations.flatMap(({ name }) => [...namesIn(name)]) : [];
