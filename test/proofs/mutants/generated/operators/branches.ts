import ts from 'typescript-5-9';
import { type Change, instead, type Operator } from '../change.ts';

const { SyntaxKind } = ts;

const COMPARISONS: Readonly<Partial<Record<ts.SyntaxKind, readonly string[]>>> = {
  [SyntaxKind.LessThanToken]: ['<=', '>='],
  [SyntaxKind.LessThanEqualsToken]: ['<', '>'],
  [SyntaxKind.GreaterThanToken]: ['>=', '<='],
  [SyntaxKind.GreaterThanEqualsToken]: ['>', '<'],
  [SyntaxKind.EqualsEqualsEqualsToken]: ['!=='],
  [SyntaxKind.ExclamationEqualsEqualsToken]: ['==='],
};

/** Operators on control flow: conditions, their parts, comparisons, defaults, early returns. */
export const BRANCHES: readonly Operator[] = [decisions, operands, comparisons, negations, earlyEnds];

function decisions(node: ts.Node): readonly Change[] {
  if (ts.isIfStatement(node)) return [instead('if-always', node.expression, 'true'), instead('if-never', node.expression, 'false')];
  if (ts.isConditionalExpression(node)) {
    const always = instead('if-always', node.condition, 'true');
    return keepsUndefinedOut(node) ? [always] : [always, instead('if-never', node.condition, 'false')];
  }
  return ts.isWhileStatement(node) ? [instead('loop-never', node.expression, 'false')] : [];
}

/** `x === undefined ? {} : { x }`: the compiler refuses a property that is undefined. */
const keepsUndefinedOut = ({ condition, whenTrue }: ts.ConditionalExpression): boolean =>
  ts.isBinaryExpression(condition) &&
  condition.operatorToken.kind === SyntaxKind.EqualsEqualsEqualsToken &&
  ts.isIdentifier(condition.right) &&
  condition.right.text === 'undefined' &&
  ts.isObjectLiteralExpression(whenTrue) &&
  whenTrue.properties.length === 0;

function operands(node: ts.Node, textOf: (node: ts.Node) => string): readonly Change[] {
  if (!ts.isBinaryExpression(node)) return [];
  const { left, right, operatorToken } = node;
  const either = (operator: string): readonly Change[] => [
    instead(operator, node, `(${textOf(left)})`),
    instead(operator, node, `(${textOf(right)})`),
  ];
  if (operatorToken.kind === SyntaxKind.AmpersandAmpersandToken) return either('drop-and');
  if (operatorToken.kind === SyntaxKind.BarBarToken) return either('drop-or');
  return operatorToken.kind === SyntaxKind.QuestionQuestionToken ? either('drop-default') : [];
}

function comparisons(node: ts.Node, textOf: (node: ts.Node) => string): readonly Change[] {
  if (!ts.isBinaryExpression(node)) return [];
  const all = COMPARISONS[node.operatorToken.kind] ?? [];
  // Turned round, a whole condition is wrong both when it should hold and when it should not, which `if-always` and `if-never` say apart.
  const others = isWholeCondition(node) ? all.slice(0, -1) : all;
  return others.map((other) => instead('compare', node, `${textOf(node.left)} ${other} ${textOf(node.right)}`));
}

function negations(node: ts.Node, textOf: (node: ts.Node) => string): readonly Change[] {
  if (!ts.isPrefixUnaryExpression(node) || node.operator !== SyntaxKind.ExclamationToken || isWholeCondition(node)) return [];
  return [instead('drop-not', node, textOf(node.operand))];
}

const isWholeCondition = (node: ts.Node): boolean =>
  (ts.isIfStatement(node.parent) && node.parent.expression === node) ||
  (ts.isConditionalExpression(node.parent) && node.parent.condition === node);

/** `return`, `continue`, `break` and `throw` that are not all that an `if` does: `if-never` says the same there. */
function earlyEnds(node: ts.Node): readonly Change[] {
  const ends = ts.isReturnStatement(node) || ts.isContinueStatement(node) || ts.isBreakStatement(node) || ts.isThrowStatement(node);
  if (!ends || !ts.isBlock(node.parent) || node.parent.statements.length === 1) return [];
  const atTheEnd = ts.isReturnStatement(node) && ts.isFunctionLike(node.parent.parent);
  return atTheEnd ? [] : [{ operator: 'drop-end', node, form: 'statement', text: '' }];
}
