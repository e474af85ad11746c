import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript-5-9';
import { fromRoot } from '../architecture/source-files.ts';

/** An object type that callers of the API fill in. */
export interface OptionObject {
  readonly known: readonly string[];
  readonly required: readonly string[];
  /** Fields that have one text only, such as the `verb` of an action. */
  readonly texts: Readonly<Record<string, string>>;
}

/** Option objects by their paths; several of one path are alternatives. A path begins with the name of a parameter. */
export type OptionPaths = ReadonlyMap<string, readonly OptionObject[]>;

/** Types that are no options, with the reason. */
export type Exempt = ReadonlyMap<string, string>;

/** What the walk over the types of the public API found. */
export interface WalkedApi {
  /** By the name of a function, such as `defineJob` or `JobClient.enqueue`. */
  readonly calls: ReadonlyMap<string, OptionPaths>;
  /** Names of the exempted types that it met. */
  readonly exempted: ReadonlySet<string>;
}

/**
 * Walks the types of everything that the package exports: functions, what they return, and the methods of that. Collects each object type
 * that a parameter takes, at any depth, also in what a callback of the caller returns.
 */
export function walkApi(exempt: Exempt): WalkedApi {
  const { exports } = JSON.parse(readFileSync(fromRoot('package.json'), 'utf8')) as { exports: Record<string, { default?: string }> };
  const doors = Object.values(exports).flatMap(({ default: built }) =>
    built === undefined ? [] : [fromRoot(built.replace('./dist/', '').replace(/\.js$/, '.ts'))],
  );
  const program = programOf(doors);
  const walk = new Walk(program.getTypeChecker(), exempt);
  for (const door of doors) walk.door(program.getSourceFile(door));
  return walk;
}

/** Without the packages of others: their types take ten seconds, and their options are not ours to check. */
function programOf(doors: readonly string[]): ts.Program {
  const { config } = ts.readConfigFile(fromRoot('tsconfig.json'), (path) => readFileSync(path, 'utf8')) as {
    config: { compilerOptions: object };
  };
  const { options } = ts.convertCompilerOptionsFromJson({ ...config.compilerOptions, types: [] }, fromRoot('.'));
  const host = ts.createCompilerHost(options);
  host.resolveModuleNameLiterals = (literals, from) =>
    literals.map(({ text }) => ({
      resolvedModule: text.startsWith('.') ? { resolvedFileName: join(dirname(from), text), extension: ts.Extension.Ts } : undefined,
    }));
  return ts.createProgram(doors, options, host);
}

const HAS_PARTS = ts.TypeFlags.Object | ts.TypeFlags.UnionOrIntersection;

class Walk implements WalkedApi {
  readonly calls = new Map<string, Map<string, OptionObject[]>>();
  readonly exempted = new Set<string>();
  readonly #checker: ts.TypeChecker;
  readonly #exempt: Exempt;
  readonly #seen = new Set<ts.Type | ts.SignatureDeclaration | ts.JSDocSignature>();

  constructor(checker: ts.TypeChecker, exempt: Exempt) {
    this.#checker = checker;
    this.#exempt = exempt;
  }

  door(file: ts.SourceFile | undefined): void {
    const module = file === undefined ? undefined : this.#checker.getSymbolAtLocation(file);
    if (module === undefined) throw new Error('An entry point of package.json has no source.');
    for (const exported of this.#checker.getExportsOfModule(module)) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(exported) : exported;
      if (symbol.flags & ts.SymbolFlags.Value && !exported.declarations?.some(ts.isTypeOnlyExportDeclaration))
        this.#value(exported.name, this.#checker.getTypeOfSymbol(symbol));
    }
  }

  #value(name: string, type: ts.Type): void {
    for (const signature of type.getCallSignatures()) this.#call(name, signature);
    for (const signature of type.getConstructSignatures()) this.#call(`new ${name}`, signature);
    if (this.#hasMethods(type)) this.#methods(name, type);
  }

  /** What the API hands out: its methods take options. */
  #output(type: ts.Type): void {
    if (this.#seen.has(type)) return;
    this.#seen.add(type);
    if (!(type.flags & HAS_PARTS)) return;
    if (type.isUnion()) return type.types.forEach((one) => this.#output(one));
    for (const argument of this.#checker.getTypeArguments(type as ts.TypeReference)) this.#output(argument);
    for (const signature of type.getCallSignatures()) this.#call(nameOf(type), signature);
    if (this.#hasMethods(type)) this.#methods(nameOf(type), type);
  }

  #hasMethods(type: ts.Type): boolean {
    return isOurs(type) && !this.#checker.isTupleType(type);
  }

  #methods(owner: string, type: ts.Type): void {
    for (const property of type.getProperties()) {
      if (!isPublic(property)) continue;
      const own = this.#checker.getNonNullableType(this.#checker.getTypeOfSymbol(property));
      const signatures = own.getCallSignatures();
      for (const signature of signatures) this.#call(`${declarerOf(property) ?? owner}.${property.name}`, signature);
      if (signatures.length === 0) this.#output(own);
    }
  }

  #call(name: string, signature: ts.Signature): void {
    const { declaration } = signature;
    if (declaration === undefined || this.#seen.has(declaration) || this.#isNone(name)) return;
    this.#seen.add(declaration);
    const found = this.calls.get(name) ?? new Map<string, OptionObject[]>();
    for (const parameter of signature.parameters) this.#input(this.#checker.getTypeOfSymbol(parameter), parameter.name, found);
    if (found.size > 0) this.calls.set(name, found);
    this.#output(signature.getReturnType());
  }

  /** What a caller hands in; `within` are the types around it, because some contain themselves. */
  #input(type: ts.Type, path: string, found: Map<string, OptionObject[]>, within: readonly ts.Type[] = []): void {
    if (within.includes(type) || this.#isExempt(type) || this.#isNone(path)) return;
    const into = (one: ts.Type, more = ''): void => this.#input(one, path + more, found, [...within, type]);
    if (type.flags & ts.TypeFlags.TypeParameter) return into(this.#checker.getBaseConstraintOfType(type) ?? type);
    if (!(type.flags & HAS_PARTS)) return;
    if (type.isUnion()) return type.types.forEach((one) => into(one));
    if (this.#checker.isArrayType(type) || this.#checker.isTupleType(type)) {
      return this.#checker.getTypeArguments(type as ts.TypeReference).forEach((one) => into(one, '.[]'));
    }
    const signatures = type.getCallSignatures();
    for (const signature of signatures) {
      for (const parameter of signature.parameters) this.#output(this.#checker.getTypeOfSymbol(parameter));
      const returned = signature.getReturnType();
      into(this.#checker.getAwaitedType(returned) ?? returned, '.()');
    }
    if (signatures.length > 0) return;
    for (const { type: each } of this.#checker.getIndexInfosOfType(type)) into(each, '.*');
    const properties = isOurs(type) ? type.getProperties() : [];
    if (properties.length > 0) found.set(path, [...(found.get(path) ?? []), this.#optionObject(properties)]);
    for (const property of properties) into(this.#checker.getTypeOfSymbol(property), `.${property.name}`);
  }

  #optionObject(properties: readonly ts.Symbol[]): OptionObject {
    const required = properties.filter(({ flags }) => !(flags & ts.SymbolFlags.Optional));
    const texts = required.flatMap((property) => {
      const own = this.#checker.getTypeOfSymbol(property);
      return own.isStringLiteral() ? [[property.name, own.value]] : [];
    });
    const names = (symbols: readonly ts.Symbol[]): readonly string[] => symbols.map(({ name }) => name);
    return { known: names(properties), required: names(required), texts: Object.fromEntries(texts) as OptionObject['texts'] };
  }

  #isExempt(type: ts.Type): boolean {
    return [type.aliasSymbol?.name, type.symbol?.name, isPort(type) ? 'ports' : undefined].some((name) => this.#isNone(name));
  }

  #isNone(name: string | undefined): boolean {
    if (name === undefined || !this.#exempt.has(name)) return false;
    this.exempted.add(name);
    return true;
  }
}

function nameOf(type: ts.Type): string {
  return type.aliasSymbol?.name ?? type.symbol?.name ?? '__type';
}

/** The interface or class that declares a method. */
function declarerOf({ declarations }: ts.Symbol): string | undefined {
  const parent = declarations?.[0]?.parent;
  return parent !== undefined && (ts.isInterfaceDeclaration(parent) || ts.isClassDeclaration(parent)) ? parent.name?.text : undefined;
}

function isPublic({ name, declarations = [] }: ts.Symbol): boolean {
  const isHidden = (one: ts.Declaration): boolean =>
    (ts.getCombinedModifierFlags(one) & ts.ModifierFlags.NonPublicAccessibilityModifier) !== 0;
  return !name.startsWith('#') && !declarations.some(isHidden);
}

/** Whether a type is declared here, or has no name of its own, as `Partial<...>`. */
function isOurs(type: ts.Type): boolean {
  const symbol = type.symbol as ts.Symbol | undefined;
  const isNamed = symbol !== undefined && (symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class)) !== 0;
  return !isNamed || (symbol.declarations ?? []).some((one) => !one.getSourceFile().isDeclarationFile);
}

function isPort(type: ts.Type): boolean {
  if (type.isIntersection()) return type.types.every(isPort);
  return (type.aliasSymbol ?? type.symbol)?.declarations?.some((one) => one.getSourceFile().fileName.includes('/shared/ports/')) ?? false;
}
