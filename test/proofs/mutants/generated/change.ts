import type ts from 'typescript-5-9';

/** One small edit of a source, as an operator proposes it. */
export type Change = {
  /** The operator's name, a part of the mutant's id. */
  readonly operator: string;
  /** The edited node: an expression, a statement, or an element of a list (property, argument, array element). */
  readonly node: ts.Node;
} & (
  | { readonly form: 'expression' | 'statement'; readonly text: string }
  /** The element of a list is removed, or replaced by `text`. */
  | { readonly form: 'property' | 'element'; readonly text: string }
  /** The statement is moved before an earlier one of the same block. */
  | { readonly form: 'sooner'; readonly before: ts.Statement }
  /** The block of a catch clause holds `text` instead. */
  | { readonly form: 'catch'; readonly text: string }
);

/** Proposes changes of a node. `textOf` is the source text of a node. */
export type Operator = (node: ts.Node, textOf: (node: ts.Node) => string) => readonly Change[];

/** Replaces an expression by a text. */
export const instead = (operator: string, node: ts.Node, text: string): Change => ({ operator, node, form: 'expression', text });
