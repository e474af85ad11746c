import ts from 'typescript-5-9';
import { type Change, instead, type Operator } from '../change.ts';

const { SyntaxKind } = ts;

/** Operators on values: properties, elements, margins, deadlines, flags. */
export const VALUES: readonly Operator[] = [flags, sums, bounds, properties, elements, waits];

function flags(node: ts.Node): readonly Change[] {
  if (node.kind === SyntaxKind.TrueKeyword) return [instead('flip', node, 'false')];
  return node.kind === SyntaxKind.FalseKeyword ? [instead('flip', node, 'true')] : [];
}

const isText = (node: ts.Node): boolean =>
  ts.isStringLiteralLike(node) ||
  ts.isTemplateExpression(node) ||
  (ts.isBinaryExpression(node) && (isText(node.left) || isText(node.right))) ||
  (ts.isParenthesizedExpression(node) && isText(node.expression));

/** A margin, a delay or a count is left out, or taken the other way round. */
function sums(node: ts.Node, textOf: (node: ts.Node) => string): readonly Change[] {
  if (!ts.isBinaryExpression(node) || isText(node)) return [];
  const { kind } = node.operatorToken;
  const [left, right] = [textOf(node.left), textOf(node.right)];
  if (kind === SyntaxKind.PlusToken) return [instead('drop-margin', node, left), instead('swap-sign', node, `${left} - (${right})`)];
  if (kind === SyntaxKind.MinusToken) return [instead('drop-margin', node, left), instead('swap-sign', node, `${left} + (${right})`)];
  if (kind === SyntaxKind.PlusEqualsToken) return [instead('swap-sign', node, `${left} -= (${right})`)];
  if (kind === SyntaxKind.MinusEqualsToken) return [instead('swap-sign', node, `${left} += (${right})`)];
  return kind === SyntaxKind.AsteriskToken || kind === SyntaxKind.SlashToken ? [instead('drop-factor', node, left)] : [];
}

/** One bound of several does not count. */
function bounds(node: ts.Node, textOf: (node: ts.Node) => string): readonly Change[] {
  if (!ts.isCallExpression(node) || !/^Math\.(min|max)$/.test(textOf(node.expression)) || node.arguments.length < 2) return [];
  return node.arguments.map((part) => ({ operator: 'drop-bound', node: part, form: 'element', text: '' }));
}

/** A property is not handed on: a cursor, a start, `consistent`, `alone`, an attribute of a row. */
function properties(node: ts.Node): readonly Change[] {
  if (!ts.isObjectLiteralExpression(node) || isAssignedTo(node) || isOptional(node)) return [];
  return node.properties
    .filter(mayBeLeftOut)
    .map((property) => ({ operator: 'drop-property', node: property, form: 'property', text: '' }));
}

/** What makes a write a write, an answer an answer and a condition a condition: the compiler sees that it is missing. */
const NEEDED = ['op', 'table', 'result', 'test', 'attribute', 'event'];

/** Not so `...(x ? {} : { x })`, which has a condition of its own. */
function mayBeLeftOut(property: ts.ObjectLiteralElementLike): boolean {
  if (ts.isSpreadAssignment(property)) return !ts.isConditionalExpression(unwrapped(property.expression));
  // A switch copies the object, so an accessor would be called only once.
  return !ts.isAccessor(property) && !NEEDED.includes(property.name.getText());
}

const unwrapped = (node: ts.Expression): ts.Expression => (ts.isParenthesizedExpression(node) ? unwrapped(node.expression) : node);

/** `{ x }` of `...(x === undefined ? {} : { x })`: never to take that way is the same. */
const isOptional = (node: ts.ObjectLiteralExpression): boolean =>
  node.properties.length === 1 &&
  ts.isConditionalExpression(node.parent) &&
  [node.parent.whenTrue, node.parent.whenFalse].some((other) => ts.isObjectLiteralExpression(other) && other.properties.length === 0);

/** `[a, b] = [b, a]`: the left side is no list. */
const isAssignedTo = (node: ts.Node): boolean =>
  (ts.isBinaryExpression(node.parent) && node.parent.operatorToken.kind === SyntaxKind.EqualsToken && node.parent.left === node) ||
  ((ts.isArrayLiteralExpression(node.parent) || ts.isPropertyAssignment(node.parent)) && isAssignedTo(node.parent)) ||
  (ts.isObjectLiteralExpression(node.parent) && isAssignedTo(node.parent));

function elements(node: ts.Node): readonly Change[] {
  if (!ts.isArrayLiteralExpression(node) || isAssignedTo(node)) return [];
  return node.elements.map((element) => ({ operator: 'drop-element', node: element, form: 'element', text: '' }));
}

/** An instant in the future becomes now. */
function waits(node: ts.Node, textOf: (node: ts.Node) => string): readonly Change[] {
  if (!ts.isPropertyAssignment(node) && !ts.isCallExpression(node)) return [];
  const handedOn = ts.isPropertyAssignment(node) ? [node.initializer] : node.arguments;
  return handedOn.filter((value) => /^[\w.]*(ms|Ms|MS)$/.test(textOf(value))).map((value) => instead('no-wait', value, '0'));
}
