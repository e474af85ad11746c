import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { OrderServiceStack } from '../../../infra/order-service-stack.ts';
import { AllOptionsStack } from '../../infra/all-options-stack.ts';
import { PLANTED } from './planted.ts';

/** A template in the file `<name>.json`. */
export interface TemplateFile {
  readonly name: string;
  readonly file: string;
  /** CloudFormation's types by logical id. */
  readonly types: Readonly<Record<string, string>>;
}

type TemplateJson = Readonly<Record<'Resources', Readonly<Record<string, { readonly Type: string }>>>>;

/** Writes the template of the example, that of a stack with every option, and one with planted faults. */
export function writeTemplates(folder: string): readonly TemplateFile[] {
  mkdirSync(folder, { recursive: true });
  const templates: Readonly<Record<string, TemplateJson>> = {
    example: synthesized(folder, (app) => new OrderServiceStack(app, 'Example', { removalPolicy: RemovalPolicy.RETAIN })),
    'all-options': synthesized(folder, (app) => new AllOptionsStack(app, 'AllOptions')),
    planted: PLANTED,
  };
  return Object.entries(templates).map(([name, template]) => {
    const file = join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify(template, undefined, 1));
    const types = Object.fromEntries(Object.entries(template.Resources).map(([id, { Type }]) => [id, Type]));
    return { name, file, types };
  });
}

/** The code of the functions changes nothing that is checked, so it is not bundled. */
function synthesized(folder: string, stackIn: (app: App) => Stack): TemplateJson {
  const app = new App({
    context: { 'aws:cdk:bundling-stacks': [] },
    builtinCloudFormationValidation: false,
    outdir: join(folder, 'assembly'),
  });
  return Template.fromStack(stackIn(app)).toJSON() as TemplateJson;
}
