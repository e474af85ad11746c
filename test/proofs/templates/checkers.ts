import { spawn } from 'node:child_process';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pythonWith } from '../deployed/python-environment.ts';
import type { Finding } from './finding.ts';
import type { TemplateFile } from './write-templates.ts';

/** The findings of one checker. */
export interface Checked {
  readonly version: string;
  /** Checks that ran, of a checker that counts them. */
  readonly passed: number;
  readonly findings: readonly Finding[];
}

/** Environment, templates and working directory of the checkers. */
export const FOLDER: string = join(import.meta.dirname, '..', '..', '..', '.emulators', 'templates');
const CFN_LINT = ['-c', 'import sys; from cfnlint.runner import main; sys.exit(main())'] as const;
const CHECKOV = ['-m', 'checkov.main'] as const;
const RUN_MS = 300_000;
/** A closed port: a checker that asked the network for something would fail at once instead of judging by what it is told. */
const NOWHERE = 'http://127.0.0.1:9';

/** Path of a Python with cfn-lint and checkov, which are installed the first time. */
export const checkersPython = (): string =>
  pythonWith({
    name: 'cfn-lint and checkov',
    requirements: join(import.meta.dirname, 'requirements.txt'),
    leastMinor: 11,
    folder: FOLDER,
  });

/** Errors, warnings and informational findings of cfn-lint in every Region. */
export async function cfnLint(python: string, templates: readonly TemplateFile[]): Promise<Checked> {
  const version = (await run(python, [...CFN_LINT, '--version'])).trim().split(' ').at(-1) ?? '';
  const files = templates.map(({ file }) => file);
  const said = await run(python, [...CFN_LINT, '--regions', 'ALL_REGIONS', '--include-checks', 'I', '--format', 'json', '--', ...files]);
  const findings = (JSON.parse(said) as LintMatch[]).map((match) => {
    const [section, id] = match.Location.Path ?? [];
    return { ...place(templates, match.Filename, section === 'Resources' ? String(id) : ''), rule: match.Rule.Id, message: match.Message };
  });
  return { version, passed: 0, findings };
}

/** Failed checks of checkov's CloudFormation framework. */
export async function checkov(python: string, templates: readonly TemplateFile[]): Promise<Checked> {
  const files = templates.flatMap(({ file }) => ['--file', file]);
  const fixed = ['--framework', 'cloudformation', '--compact', '--skip-download', '--output', 'json'];
  const report = JSON.parse(await run(python, [...CHECKOV, ...fixed, ...files])) as CheckovReport;
  const { summary, results } = report;
  if (summary.parsing_errors > 0) throw new Error(`checkov could not read ${summary.parsing_errors} of ${templates.length} templates`);
  const findings = results.failed_checks.map(({ check_id, check_name, file_path, resource }) => ({
    ...place(templates, file_path, resource.slice(resource.indexOf('.') + 1)),
    rule: check_id,
    message: check_name,
  }));
  return { version: summary.checkov_version, passed: summary.passed, findings };
}

interface LintMatch {
  readonly Filename: string;
  readonly Message: string;
  readonly Rule: { readonly Id: string };
  readonly Location: { readonly Path: readonly (string | number)[] | null };
}

interface CheckovReport {
  readonly summary: { readonly passed: number; readonly parsing_errors: number; readonly checkov_version: string };
  readonly results: {
    readonly failed_checks: readonly {
      readonly check_id: string;
      readonly check_name: string;
      readonly file_path: string;
      /** `<type>.<logical id>`. */
      readonly resource: string;
    }[];
  };
}

function place(templates: readonly TemplateFile[], path: string, resource: string): Pick<Finding, 'template' | 'resource' | 'type'> {
  const found = templates.find(({ name }) => name === basename(path, '.json'));
  if (found === undefined) throw new Error(`a finding is about ${path}, which is none of the templates`);
  return { template: found.name, resource, type: found.types[resource] ?? '' };
}

/** What a module of Python prints. Findings are no failure of it; a run that prints no result is one. */
async function run(python: string, args: readonly string[]): Promise<string> {
  const child = spawn(python, ['-I', ...args], {
    cwd: FOLDER,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: RUN_MS,
    // Configuration of this machine must not change the result.
    env: { HOME: FOLDER, PATH: '', LANG: 'C.UTF-8', HTTP_PROXY: NOWHERE, HTTPS_PROXY: NOWHERE, NO_COLOR: '1' },
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (out.trim() === '')
    throw new Error(`${args.slice(0, 3).join(' ')} printed nothing; its errors:\n${errors.trim().split('\n').slice(-5).join('\n')}`);
  return out;
}
