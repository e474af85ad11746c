import ts from 'typescript-5-9';
import type { Change } from './change.ts';

/** Operators on critical code: fences, tokens, reasons, cursors, margins, the order of two effects, errors. */
const OPERATORS: ReadonlySet<string> = new Set([
  'weaken-condition',
  'drop-condition',
  'reuse-token',
  'redraw-token',
  'drop-token-part',
  'shift-index',
  'misread-refusal',
  'swap-awaits',
  'acknowledge',
  'do-not-acknowledge',
  'no-wait',
  'drop-margin',
  'drop-bound',
  'rethrow',
  'swallow',
]);
/** Properties without which a write is not fenced, a read not current or not whole, a message not alone or too early. */
const PROPERTIES: ReadonlySet<string> = new Set([
  'condition',
  'consistent',
  'after',
  'from',
  'through',
  'cursor',
  'notAfter',
  'alone',
  'token',
  'delayMs',
  'dueAt',
  'lockOwner',
  'lockExpiresAt',
]);
/** Calls that only produce output. */
const TELLING = /(?:^|\.)(?:note|jobEnded|record|gauge|debug|info|warn|error|print|log)$/;

/** Whether a change belongs to the kinds of which at most a fiftieth may stay unnoticed; the others are those of any mutation test. */
export function isVital({ operator, node }: Change): boolean {
  if (OPERATORS.has(operator)) return true;
  if (operator === 'drop-property') return node.getChildCount() > 0 && PROPERTIES.has(nameOf(node));
  return operator === 'drop-call' && !TELLING.test(calledBy(node));
}

const nameOf = (node: ts.Node): string =>
  ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node) ? node.name.getText() : '';

function calledBy(node: ts.Node): string {
  let expression: ts.Node = ts.isExpressionStatement(node) ? node.expression : node;
  while (ts.isAwaitExpression(expression) || ts.isVoidExpression(expression)) ({ expression } = expression);
  return ts.isCallExpression(expression) ? expression.expression.getText() : '';
}
