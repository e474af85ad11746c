import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript-5-9';
import type { Change, Operator } from './change.ts';
import { editHash, withIds } from './mutant-ids.ts';
import { BRANCHES } from './operators/branches.ts';
import { CALLS } from './operators/calls.ts';
import { CONDITIONS } from './operators/conditions.ts';
import { VALUES } from './operators/values.ts';
import { parsed, symbolOf } from '../symbols.ts';
import type { Switched } from './schemata.ts';
import { isVital } from './vital.ts';

export const ROOT = join(import.meta.dirname, '..', '..', '..', '..');

/** The folders in which every operator is applied to every line. */
export const FOLDERS = [
  'store',
  'features',
  'adapters/dynamodb',
  'adapters/sqs',
  'adapters/eventbridge',
  'adapters/aws',
  'adapters/batching',
  'lambda',
  'client',
]
  .map((name) => `shared/${name}`)
  .concat('functions', 'operate');

const OPERATORS: readonly Operator[] = [...BRANCHES, ...CONDITIONS, ...VALUES, ...CALLS];

/** A generated bug. `id`: file, operator, symbol, and a hash of the edit; the place among identical edits if there are several. */
export interface GeneratedMutant extends Switched {
  readonly id: string;
  readonly file: string;
  readonly line: number;
  /** Done once, when the file is loaded: a process of its own has to load it. */
  readonly atLoad: boolean;
  /** Whether its kind must nearly always be noticed. */
  readonly vital: boolean;
}

/** A source and its mutants. */
export interface MutatedFile {
  readonly file: string;
  readonly source: ts.SourceFile;
  readonly mutants: readonly GeneratedMutant[];
}

/** Every source that has mutants, in the order of their names. What is pure belongs to `npm run mutation`. */
export const mutatedFiles = (): readonly string[] =>
  FOLDERS.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: ROOT, exclude: ['**/model/**'] })).toSorted();

/** More than any file has mutants. */
const PER_FILE = 10_000;
let numbers: ReadonlyMap<string, number> | undefined;

/** The number of a file's first mutant. */
function firstNumber(file: string): number {
  numbers ??= new Map(mutatedFiles().map((name, index) => [name, index * PER_FILE]));
  return numbers.get(file) ?? 0;
}

/** Which file a mutant of this number is in. */
export const fileNumber = (number: number): number => Math.floor(number / PER_FILE);

/** The mutants of a file, in the order of its text. */
export function mutantsOf(file: string, text: string = readFileSync(join(ROOT, file), 'utf8')): MutatedFile {
  const source = parsed(file, text);
  const textOf = (node: ts.Node): string => node.getText(source);
  const first = firstNumber(file);
  const drafts: (Omit<GeneratedMutant, 'id'> & { readonly name: string })[] = [];
  const add = (change: Change, path: readonly string[], atLoad: boolean): void => {
    const name = `${file}:${change.operator}:${path.join('.')}:${editHash(change)}`;
    const line = source.getLineAndCharacterOfPosition(change.node.getStart(source)).line + 1;
    drafts.push({ name, number: first + drafts.length, file, line, atLoad, vital: isVital(change), change });
  };
  const walk = (node: ts.Node, path: readonly string[], atLoad: boolean): void => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isImportDeclaration(node)) return;
    if (isProse(node)) return;
    for (const operator of OPERATORS) for (const change of operator(node, textOf)) add(change, path, atLoad);
    const name = symbolOf(node);
    const inside = name === undefined ? path : [...path, name];
    const later = ts.isFunctionLike(node) || (ts.isPropertyDeclaration(node) && !isStatic(node));
    ts.forEachChild(node, (child) => walk(child, inside, atLoad && !later));
  };
  walk(source, [], true);
  return { file, source, mutants: withIds(drafts) };
}

/** The text of an error is for readers. */
const isProse = (node: ts.Node): boolean => ts.isNewExpression(node) && node.expression.getText().endsWith('Error');

const isStatic = (node: ts.PropertyDeclaration): boolean =>
  node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword) ?? false;
