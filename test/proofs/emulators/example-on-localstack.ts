import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../shared/ports/clock.ts';
import { type DeployablePart, deployablePart, type Template } from './deployable-part.ts';
import { type DeployedFunctions, startDeployedFunctions } from './deployed-functions.ts';
import { deployTemplate } from './deploy-template.ts';

/** The example's stack as the CDK names it. */
export const STACK = 'NightcrewOrderService';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const SYNTH_MS = 120_000;

/** An assembly of the example, and the part of its template that LocalStack deploys. */
export interface Synthesized {
  readonly assembly: string;
  readonly part: DeployablePart;
}

/** Synthesizes the example as `npm run synth` does, bundles included, into a folder. Rejects with the CDK's output. */
export async function synthesizeExample(folder: string): Promise<Synthesized> {
  const assembly = join(folder, 'cdk.out');
  rmSync(assembly, { recursive: true, force: true });
  const args = ['cdk', 'synth', '--quiet', '--no-notices', '--output', assembly];
  const child = spawn(process.execPath, [join(ROOT, 'scripts', 'run.mjs'), ...args], { cwd: ROOT, stdio: 'pipe', timeout: SYNTH_MS });
  let said = '';
  for (const pipe of [child.stdout, child.stderr]) pipe.setEncoding('utf8').on('data', (text: string) => (said += text));
  const code = await new Promise((resolve) => child.once('error', resolve).once('close', resolve));
  if (code !== 0) throw new Error(`cdk synth ended with ${String(code)}:\n${said}`);
  const template = JSON.parse(readFileSync(join(assembly, `${STACK}.template.json`), 'utf8')) as Template;
  return { assembly, part: deployablePart(template) };
}

/** The example's endpoints and dependencies. */
export interface ExampleTerms {
  readonly endpoint: string;
  /** For invoices, reports and logs. */
  readonly folder: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly onProblem: (what: string, error: unknown) => void;
}

/** Deploys the part and starts the functions that are not in it. */
export async function startExample({ part, assembly }: Synthesized, terms: ExampleTerms, clock: Clock): Promise<DeployedFunctions> {
  const { endpoint, folder, parameters, onProblem } = terms;
  const outputs = await deployTemplate({ endpoint, stack: STACK, template: part.template, parameters }, clock);
  const invoices = join(folder, 'invoices');
  rmSync(invoices, { recursive: true, force: true });
  mkdirSync(invoices, { recursive: true });
  const log = join(folder, 'functions.log');
  rmSync(log, { force: true });
  return startDeployedFunctions(part, {
    endpoint,
    outputs,
    assembly,
    variables: { INVOICES_FOLDER: invoices },
    log: (line) => appendFileSync(log, `${line}\n`),
    onProblem,
  });
}
