/** `docs/reference/settings.md` and `infra/settings-props.ts`, from the settings; a test fails when they differ. */
import type { Setting } from '../shared/config/settings.ts';
import { SETTING_DOCS } from '../shared/config/settings-docs.ts';
import { settingsWithProps, valueText } from '../infra/setting-names.ts';

const GROUPS = [
  ['shared', 'Shared', 'For the whole deployment.'],
  ['executor', 'Executor', 'Set for one worker in `workers.<name>.settings`, otherwise for all workers.'],
  ['acquirer', 'Acquirer', 'The function that fires timers.'],
  [
    'sweeper',
    'Sweeper',
    'The function that repairs: it returns jobs with an expired lease to their queue, resumes suspended ones when they may run, and removes old dead letters.',
  ],
] as const satisfies readonly (readonly [Setting['of'], string, string])[];

/** The page that lists every setting with its prop, default, range and meaning. */
export function settingsDoc(): string {
  const sections = GROUPS.map(([group, title, text]) => {
    const rows = settingsWithProps()
      .filter(({ setting }) => setting.of === group)
      .map(({ name, prop, setting }) => {
        const values = [setting.default, setting.min, setting.max].map((value) => `\`${valueText(setting, value)}\``);
        return [`\`${prop}\``, ...values, SETTING_DOCS[name]];
      });
    return `## ${title}\n\n${text}\n\n${table([['prop', 'default', 'min', 'max', 'meaning'], ...rows])}\n`;
  });
  return `# Settings

Generated from \`shared/config/settings.ts\` and \`settings-docs.ts\`; do not edit.

Settings are props of \`settings\` of \`JobExecutor\`:

\`\`\`ts
new JobExecutor(this, 'Jobs', {
  workers: { default: { entry: 'worker.ts' } },
  settings: { executorTimeout: Duration.minutes(2), maxConcurrency: 20 },
});
\`\`\`

When the app is synthesized, a value outside its range and two that contradict each other are refused with the name of the prop. Functions check the ranges again when they start.

${sections.join('\n')}`;
}

/** The props interface of the construct: one optional prop per setting, with its default. */
export function settingsProps(): string {
  const props = settingsWithProps().map(({ name, prop, setting }) => {
    const type = setting.unit === 'ms' ? 'Duration' : setting.unit === 'MB' ? 'Size' : 'number';
    return `  /**\n   * ${SETTING_DOCS[name]}\n   * @default ${valueText(setting, setting.default)}\n   */\n  readonly ${prop}?: ${type};`;
  });
  return `import type { Duration, Size } from 'aws-cdk-lib';

/**
 * Every setting of the executor, the acquirer and the sweeper; \`docs/reference/settings.md\` lists the ranges.
 * Generated from \`shared/config/settings.ts\` by \`npm run docs\`.
 */
export interface SettingsProps {
${props.join('\n')}
}
`;
}

/** Rows, the first of them the header, in aligned columns, as the formatter requires. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = rows.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`);
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}
