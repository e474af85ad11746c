import ts from 'typescript-5-9';
import { type Change, instead, type Operator } from '../change.ts';
import { sooner } from './sooner.ts';

/** Operators on calls, their order, and error handling. */
export const CALLS: readonly Operator[] = [doings, caught, caughtByCall, links, acknowledged, sooner];

const drop = (operator: string, node: ts.Statement): readonly Change[] => [{ operator, node, form: 'statement', text: '' }];

/** A call, an assignment or a count is left out. */
function doings(node: ts.Node): readonly Change[] {
  if (!ts.isExpressionStatement(node)) return [];
  let { expression } = node;
  while (ts.isAwaitExpression(expression) || ts.isVoidExpression(expression)) ({ expression } = expression);
  if (ts.isCallExpression(expression)) return drop('drop-call', node);
  return ts.isBinaryExpression(expression) || ts.isPostfixUnaryExpression(expression) ? drop('drop-assignment', node) : [];
}

/** An error that is dealt with is swallowed, or thrown on. */
function caught(node: ts.Node): readonly Change[] {
  if (!ts.isCatchClause(node)) return [];
  const name = node.variableDeclaration?.name.getText() ?? '__caught';
  const rethrow: Change = { operator: 'rethrow', node, form: 'catch', text: `throw ${name};` };
  return node.block.statements.length === 0 ? [rethrow] : [{ operator: 'swallow', node, form: 'catch', text: '' }, rethrow];
}

const calledOn = (node: ts.Node): { readonly on: ts.Expression; readonly name: string } | undefined =>
  ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression) && node.expression.questionDotToken === undefined
    ? { on: node.expression.expression, name: node.expression.name.text }
    : undefined;

function caughtByCall(node: ts.Node, textOf: (node: ts.Node) => string): readonly Change[] {
  const call = calledOn(node);
  return call?.name === 'catch' ? [instead('rethrow', node, textOf(call.on))] : [];
}

const KEEPING = ['filter', 'toSorted', 'slice', 'toReversed'];

/** A link of a chain is left out, or asks for one where it asked for all. */
function links(node: ts.Node, textOf: (node: ts.Node) => string): readonly Change[] {
  const call = calledOn(node);
  if (call === undefined || ts.isOptionalChain(node) || !ts.isCallExpression(node)) return [];
  if (KEEPING.includes(call.name)) return [instead('drop-link', node, textOf(call.on))];
  const other = call.name === 'some' ? 'every' : call.name === 'every' ? 'some' : undefined;
  if (other === undefined) return [];
  return [instead('some-every', node, `${textOf(call.on)}.${other}(${node.arguments.map(textOf).join(', ')})`)];
}

/** Acknowledges a message that should come back, and the other way round. */
function acknowledged(node: ts.Node, textOf: (node: ts.Node) => string): readonly Change[] {
  if (ts.isCallExpression(node) && textOf(node.expression) === 'requeue') return [instead('acknowledge', node, `'acknowledge'`)];
  if (!ts.isStringLiteral(node) || ts.isCaseClause(node.parent)) return [];
  if (node.text === 'requeue') return [instead('acknowledge', node, `'acknowledge'`)];
  return node.text === 'acknowledge' ? [instead('do-not-acknowledge', node, `'requeue'`)] : [];
}
