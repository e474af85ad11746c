import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import type { JobExecutorProps } from '../../infra/job-executor-props.ts';
import { JobExecutor } from '../../infra/job-executor.ts';
import { afterTestFile } from '../support/after-test-file.ts';

/** A worker's file, where it does not matter which. */
export const WORKER_ENTRY = fileURLToPath(new URL('../../examples/order-service/worker.ts', import.meta.url));

const UNBUNDLED = { 'aws:cdk:bundling-stacks': [] };

/** Where the apps of the running test file write their assemblies. */
let assemblies: string | undefined;

function assemblyFolder(): string {
  if (assemblies === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'nightcrew-synth-'));
    assemblies = folder;
    afterTestFile(() => {
      assemblies = undefined;
      rmSync(folder, { recursive: true, force: true });
    });
  }
  return mkdtempSync(join(assemblies, 'app-'));
}

/** What no template depends on, and takes a quarter of the time of a synthesis. */
const LEAN = { stackTraces: false, treeMetadata: false, analyticsReporting: false };

/** An app that neither bundles nor validates: what a template says does not depend on the code of the functions. */
export function quickApp(): App {
  return new App({ ...LEAN, context: UNBUNDLED, builtinCloudFormationValidation: false, outdir: assemblyFolder() });
}

/** An app that is not synthesized when CloudFormation's own schemas refuse its template. */
export function validatedApp(): App {
  const context = { ...UNBUNDLED, '@aws-cdk/core:validateAgainstDefaultRules': true };
  return new App({ ...LEAN, context, outdir: assemblyFolder() });
}

/** A stack with one job executor, `default` worker unless the props say otherwise. */
export function executorStack(props: Partial<JobExecutorProps> = {}): { readonly stack: Stack; readonly jobs: JobExecutor } {
  const stack = new Stack(quickApp(), 'Shop');
  const jobs = new JobExecutor(stack, 'Jobs', { workers: { default: { entry: WORKER_ENTRY } }, ...props });
  return { stack, jobs };
}

/** The template of such a stack. */
export function executorTemplate(props: Partial<JobExecutorProps> = {}): Template {
  return Template.fromStack(executorStack(props).stack);
}

/** A resource of a template as plain data. */
export interface Resource {
  readonly Type: string;
  readonly Properties: Record<string, unknown>;
  readonly DeletionPolicy?: string;
}

/** Resources of one type by logical id. */
export function resources(template: Template, type: string): Readonly<Record<string, Resource>> {
  return template.findResources(type) as Record<string, Resource>;
}

/** A policy statement as a template has it. */
export interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

/** All statements of the policies whose logical id contains `part`. */
export function statementsOf(template: Template, part: string): readonly Statement[] {
  return Object.entries(resources(template, 'AWS::IAM::Policy'))
    .filter(([id]) => id.includes(part))
    .flatMap(([, policy]) => (policy.Properties['PolicyDocument'] as { Statement: Statement[] }).Statement);
}

/** Actions by service of the statements whose resource mentions `part` of a logical id. */
export function actionsOn(statements: readonly Statement[], part: string): readonly string[] {
  return statements
    .filter(({ Resource }) => JSON.stringify(Resource).includes(part))
    .flatMap(({ Action }) => (typeof Action === 'string' ? [Action] : Action))
    .toSorted();
}
