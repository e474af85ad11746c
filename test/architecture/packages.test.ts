import { describe, expect, test } from 'vitest';
import { importsOf, type SourceFile, sourceFiles } from './source-files.ts';

/** Who may import a package. Everything else is imported by nobody in `shared` and `functions`. */
const PACKAGES: readonly (readonly [name: RegExp, by: RegExp])[] = [
  [/^node:fs$/, /^functions\/acquirer\/handler\.ts$/],
  [/^node:assert\/strict$/, /^testing\//],
  [/^node:crypto$/, /^shared\/(job\/hash|adapters\/system)\.ts$/],
  [/^node:async_hooks$/, /^shared\/(lambda|adapters\/(aws|dynamodb))\/|^(shared\/ports\/job-scope|operate\/read-until)\.ts$/],
  [/^node:https?$/, /^shared\/adapters\/aws\//],
  [/^node:net$/, /^testing\//],
  [/^node:util$/, /^shared\/adapters\/(observability|memory)\/|^shared\/job\/(shown|instant|payload)\.ts$/],
  [/^@standard-schema\/spec$/, /^shared\/(job|client)\/|^functions\/worker\/external\//],
  [/^@aws-sdk\/client-dynamodb$/, /^(shared\/(lambda|adapters\/dynamodb|client)|operate)\//],
  [/^@aws-sdk\/client-sqs$/, /^(shared\/(lambda|adapters\/sqs)|operate)\//],
  [/^@aws-sdk\/client-s3$/, /^shared\/adapters\/s3\//],
  [/^@aws-sdk\/client-eventbridge$/, /^shared\/adapters\/eventbridge\//],
  [/^@aws-sdk\/client-(scheduler|lambda)$/, /^operate\//],
  [/^@smithy\/node-http-handler$/, /^shared\/adapters\/aws\//],
  [/^@aws-lambda-powertools\/(logger|metrics)(\/|$)/, /^shared\/adapters\/observability\//],
  [/^@middy\/core$/, /^(shared\/lambda\/lambda-handler|functions\/\w+\/(create-\w+|handler))\.ts$/],
];

function strayPackages(file: SourceFile): readonly string[] {
  if (!/^(shared|functions|operate|testing)\//.test(file.path)) return [];
  return importsOf(file)
    .filter(({ target }) => !/\.(ts|mjs)$/.test(target))
    .filter(({ target }) => !PACKAGES.some(([name, by]) => name.test(target) && by.test(file.path)))
    .map(({ target }) => `${file.path} imports ${target}`);
}

describe('a package', () => {
  test('is imported only where its adapter is', () => expect(sourceFiles().flatMap(strayPackages)).toEqual([]));

  test('that is imported elsewhere is noticed', () => {
    expect(strayPackages({ path: 'shared/job/x.ts', text: "import { y } from '@aws-sdk/client-sqs';" })).toEqual([
      'shared/job/x.ts imports @aws-sdk/client-sqs',
    ]);
  });
});
