import ts from 'typescript-5-9';

/** The name that a declaration gives its contents; undefined for other nodes. */
export function symbolOf(node: ts.Node): string | undefined {
  if (ts.isConstructorDeclaration(node)) return 'constructor';
  const named =
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isAccessor(node) ||
    ts.isVariableDeclaration(node) ||
    (ts.isPropertyAssignment(node) && ts.isFunctionLike(node.initializer));
  return named && node.name !== undefined && !ts.isObjectBindingPattern(node.name) && !ts.isArrayBindingPattern(node.name)
    ? node.name.getText()
    : undefined;
}

/** Parses a source with its parents, as `getText` needs them. */
export const parsed = (file: string, text: string): ts.SourceFile =>
  ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
