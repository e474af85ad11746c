import ts from 'typescript-5-9';
import { type Change, instead, type Operator } from '../change.ts';

/** Operators on the fences of a write: its condition and parts, its token, and cancellation reasons. */
export const CONDITIONS: readonly Operator[] = [weaker, fewer, reusedTokens, reusedNames, misreadRefusals, shiftedReasons];

/** A condition asks only whether the attributes are there. */
function weaker(node: ts.Node, textOf: (node: ts.Node) => string): readonly Change[] {
  if (ts.isShorthandPropertyAssignment(node) && node.name.text === 'condition') {
    return [{ operator: 'weaken-condition', node, form: 'property', text: 'condition: __mutants.weakened(condition)' }];
  }
  if (!ts.isPropertyAssignment(node) || textOf(node.name) !== 'condition') return [];
  // That there is no row compares nothing, so it cannot be weakened.
  if (textOf(node.initializer).startsWith('noRow(')) return [];
  return [instead('weaken-condition', node.initializer, `__mutants.weakened(${textOf(node.initializer)})`)];
}

/** One of several conditions is not asked. */
function fewer(node: ts.Node): readonly Change[] {
  if (!ts.isCallExpression(node) || !ts.isIdentifier(node.expression) || !['all', 'any'].includes(node.expression.text)) return [];
  return node.arguments.map((part) => ({ operator: 'drop-condition', node: part, form: 'element', text: '' }));
}

/** A token that names one attempt is the same for all of them, or another one each time. */
function reusedTokens(node: ts.Node, textOf: (node: ts.Node) => string): readonly Change[] {
  if (!ts.isCallExpression(node)) return [];
  const called = textOf(node.expression);
  if (called.endsWith('.token')) return [instead('reuse-token', node, `'reused'`)];
  return called === 'sha256' ? reused(node, node.arguments) : [];
}

/** The text that names a transaction, where it is given or in a property or constant that says so. */
function reusedNames(node: ts.Node, textOf: (node: ts.Node) => string): readonly Change[] {
  const isText = ts.isTemplateExpression(node) || ts.isStringLiteral(node);
  if (!isText && !ts.isCallExpression(node)) return [];
  const whole = ts.isConditionalExpression(node.parent) ? node.parent : node;
  const { parent } = whole;
  const isNamed = (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent)) && textOf(parent.name) === 'token';
  const isGiven = ts.isCallExpression(parent) && TRANSACTS.has(textOf(parent.expression)) && parent.arguments[1] === whole;
  return isGiven || (isNamed && (isText || textOf(node).startsWith('joinParts('))) ? reused(node, [node]) : [];
}

const TRANSACTS: ReadonlySet<string> = new Set(['transact', 'tryTransact']);

function reused(node: ts.Node, texts: readonly ts.Node[]): readonly Change[] {
  const deps = texts.flatMap((text) => (ts.isTemplateExpression(text) ? [...text.templateSpans] : []));
  return [
    instead('reuse-token', node, `'reused'`),
    instead('redraw-token', node, 'globalThis.crypto.randomUUID()'),
    ...deps.map(({ expression }) => instead('drop-token-part', expression, `''`)),
  ];
}

/** Takes a refusal of one write for none, or that of another for its own. */
function misreadRefusals(node: ts.Node, textOf: (node: ts.Node) => string): readonly Change[] {
  if (!ts.isCallExpression(node) || !/\.(?:failed|spared)$/.test(textOf(node.expression))) return [];
  if (node.arguments.length !== 1 || /^(?:Array|Map|Set)\./.test(textOf(node.expression))) return [];
  return [instead('misread-refusal', node, 'false'), instead('misread-refusal', node, 'true')];
}

/** Reads the neighbouring element: a reason of a cancelled transaction, a part of a key. */
function shiftedReasons(node: ts.Node, textOf: (node: ts.Node) => string): readonly Change[] {
  if (!ts.isElementAccessExpression(node) || !ts.isNumericLiteral(node.argumentExpression)) return [];
  const index = Number(textOf(node.argumentExpression));
  const shifted = index > 0 ? [index - 1, index + 1] : [index + 1];
  return shifted.map((other) => instead('shift-index', node.argumentExpression, String(other)));
}
