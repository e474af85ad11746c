/** `docs/reference/options.md`, from the doc comments of the option interfaces; a test fails when they differ. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript-5-9';

const ROOT = join(import.meta.dirname, '..');

/** An interface and the heading under which its options stand. */
interface Section {
  readonly name: string;
  readonly heading: string;
}

const PARTS: readonly (readonly [string, readonly Section[]])[] = [
  [
    'Producers',
    [
      { name: 'JobTypeOptions', heading: 'defineJob' },
      { name: 'EnqueueOptions', heading: 'enqueue, prepare, followUp' },
      { name: 'EnqueueManyOptions', heading: 'enqueueMany' },
      { name: 'BatchOptions', heading: 'createBatch' },
      { name: 'EnqueueBatchOptions', heading: 'enqueueBatch' },
      { name: 'CancelOptions', heading: 'cancel' },
      { name: 'CancelByKeyOptions', heading: 'cancelByKey' },
      { name: 'WaitOptions', heading: 'waitForResult' },
      { name: 'RecurrenceInput', heading: 'defineSchedule: when' },
      { name: 'ScheduleOptions', heading: 'defineSchedule: options' },
      { name: 'LimitOptions', heading: 'defineLimit' },
      { name: 'JobClientOptions', heading: 'createJobClient' },
    ],
  ],
  [
    'Workers',
    [
      { name: 'FunctionOptions', heading: 'createExecutor' },
      { name: 'HandlerOptions', heading: 'createExecutor and runWorker' },
      { name: 'LimitOptionsOfWorker', heading: 'Limits of a worker' },
      { name: 'RunWorkerOptions', heading: 'runWorker' },
      { name: 'ExternalOptions', heading: 'external' },
      { name: 'HttpApiOptions', heading: 'createHttpApi' },
      { name: 'CompleteOptions', heading: 'complete' },
    ],
  ],
  [
    "A store or queue of one's own",
    [
      { name: 'OwnPorts', heading: 'ports' },
      { name: 'DeploymentOptions', heading: 'deploymentEnvironment' },
      { name: 'OwnWorkerOptions', heading: 'deploymentEnvironment: workers' },
    ],
  ],
  [
    'The construct',
    [
      { name: 'JobExecutorProps', heading: 'JobExecutor' },
      { name: 'WorkerProps', heading: 'workers' },
      { name: 'LaneProps', heading: 'lanes' },
      { name: 'AlarmProps', heading: 'alarmOptions' },
      { name: 'EventsProps', heading: 'events' },
      { name: 'TableProps', heading: 'tableProps' },
      { name: 'ConnectOptions', heading: 'connect' },
    ],
  ],
  [
    'Operators',
    [
      { name: 'AdminOptions', heading: 'createAdmin' },
      { name: 'BulkOptions', heading: 'bulk' },
      { name: 'RedriveOptions', heading: 'redrive' },
      { name: 'PatchOptions', heading: 'patchPayload' },
      { name: 'DeleteOptions', heading: 'delete' },
      { name: 'SuspendOptions', heading: 'suspend' },
      { name: 'CancelWhereOptions', heading: 'cancelWhere' },
    ],
  ],
];

const INTRO = `# Options

Generated from doc comments of interfaces in \`shared/\`, \`functions/\`, \`operate/\` and \`infra/\`; do not edit.

Options in **bold** are required. A \`Duration\` is an ISO-8601 text such as \`PT5M\`, or milliseconds; in the construct it is the CDK's. An \`Instant\` is a \`Date\`, ISO-8601 with an offset, or epoch milliseconds. Settings of the functions are in [settings](settings.md), options of the test kit in [testing](../guides/testing.md#what-it-offers).
`;

/** The page with every option, its type and its meaning. Throws if an interface is gone or an option has no doc comment. */
export function optionsDoc(): string {
  const found = interfaces();
  const parts = PARTS.map(([title, sections]) => [`## ${title}\n`, ...sections.map((section) => sectionText(section, found))].join('\n'));
  return [INTRO, ...parts].join('\n');
}

/** Every exported interface of the product, by its name. */
function interfaces(): ReadonlyMap<string, ts.InterfaceDeclaration> {
  const wanted = new Set(PARTS.flatMap(([, sections]) => sections.map(({ name }) => name)));
  const found = new Map<string, ts.InterfaceDeclaration>();
  for (const path of sourcePaths()) {
    const text = readFileSync(path, 'utf8');
    if (!/^export interface \w+(Options|Input|Props|Ports|OfWorker)\b/m.test(text)) continue;
    for (const statement of ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true).statements) {
      if (!ts.isInterfaceDeclaration(statement) || !wanted.has(statement.name.text) || !isExported(statement)) continue;
      if (found.has(statement.name.text)) throw new Error(`There are two interfaces called ${statement.name.text}.`);
      found.set(statement.name.text, statement);
    }
  }
  return found;
}

const isExported = (statement: ts.InterfaceDeclaration): boolean =>
  statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;

function sourcePaths(): readonly string[] {
  return ['shared', 'functions', 'operate', 'testing', 'infra']
    .flatMap((folder) => readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(ROOT, folder, name)))
    .filter((path) => path.endsWith('.ts'))
    .toSorted();
}

function sectionText({ name, heading }: Section, found: ReadonlyMap<string, ts.InterfaceDeclaration>): string {
  const declaration = found.get(name);
  if (declaration === undefined) throw new Error(`There is no exported interface ${name}.`);
  const members = declaration.members.filter((member) => ts.isPropertySignature(member));
  const rows = members.map((member) => rowOf(name, member));
  const withDefaults = rows.some(({ standard }) => standard !== '');
  const head = withDefaults ? '| option | type | default | meaning |\n|---|---|---|---|' : '| option | type | meaning |\n|---|---|---|';
  const lines = rows.map(
    ({ option, type, standard, meaning }) => `| ${[option, type, ...(withDefaults ? [standard] : []), meaning].join(' | ')} |`,
  );
  const more = inherited(declaration);
  return `### ${heading}\n\n${docOf(declaration).text}\n\n${head}\n${lines.join('\n')}\n${more === '' ? '' : `\n${more}\n`}`;
}

interface RowText {
  readonly option: string;
  readonly type: string;
  readonly standard: string;
  readonly meaning: string;
}

function rowOf(owner: string, member: ts.PropertySignature): RowText {
  const name = member.name.getText();
  const { text, standard } = docOf(member);
  if (text === '') throw new Error(`${owner}.${name} has no doc comment.`);
  const type = member.type === undefined ? 'unknown' : typeText(member.type.getText());
  return {
    option: member.questionToken === undefined ? `**\`${name}\`**` : `\`${name}\``,
    type: `\`${cell(type)}\``,
    standard: cell(standard),
    meaning: cell(text),
  };
}

/** The sections whose options an interface also takes. */
function inherited(declaration: ts.InterfaceDeclaration): string {
  const names = (declaration.heritageClauses ?? []).flatMap(({ types }) => types.map((type) => type.getText()));
  const headings = new Map(PARTS.flatMap(([, sections]) => sections.map(({ name, heading }) => [name, heading] as const)));
  const texts = names.flatMap((name) => {
    const [, base = name, without = ''] = /^Omit<(\w+), (.+)>$/.exec(name) ?? [];
    const heading = headings.get(base);
    if (heading === undefined) return [];
    const but = without === '' ? '' : ` but ${without.replaceAll(' | ', ' and ').replaceAll("'", '`')}`;
    return [
      `those of [${heading}](#${heading
        .toLowerCase()
        .replaceAll(/[^\w\s-]/g, '')
        .replaceAll(' ', '-')})${but}`,
    ];
  });
  return texts.length === 0 ? '' : `Also: ${texts.join(', ')}.`;
}

/** The text of a doc comment on one line, and its `@default`. */
function docOf(node: ts.Node): { readonly text: string; readonly standard: string } {
  const [doc] = ts.getJSDocCommentsAndTags(node).filter((one) => ts.isJSDoc(one));
  const oneLine = (comment: string | ts.NodeArray<ts.JSDocComment> | undefined): string =>
    (ts.getTextOfJSDocComment(comment) ?? '').replaceAll(/\s+/g, ' ').trim();
  const tag = doc?.tags?.find(({ tagName }) => tagName.text === 'default');
  const standard = oneLine(tag?.comment);
  return {
    text: oneLine(doc?.comment),
    standard: standard.startsWith('- ') ? standard.slice(2) : standard === '' ? '' : `\`${standard}\``,
  };
}

function typeText(type: string): string {
  return type
    .replaceAll(/\s+/g, ' ')
    .replaceAll('StandardSchemaV1.InferOutput<Schema>', 'Payload')
    .replaceAll('NoInfer<Input>', 'Input')
    .replaceAll('readonly ', '');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
