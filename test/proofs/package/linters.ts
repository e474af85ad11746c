import { readFileSync } from 'node:fs';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

/** What publint says of a tarball of `npm pack`, suggestions included. */
export async function publintSays(tarball: string): Promise<readonly string[]> {
  const { messages, pkg } = await publint({ pack: { tarball: new Uint8Array(readFileSync(tarball)).buffer }, level: 'suggestion' });
  return messages.map((message) => `${message.type}: ${formatMessage(message, pkg) ?? message.code}`);
}

/**
 * What "Are the types wrong?" finds in a tarball of `npm pack`, but for two things that are meant: the package has no entries for resolution
 * before `exports`, and its modules are ES modules, which CommonJS requires from Node 22 on.
 */
export async function attwSays(tarball: string): Promise<readonly string[]> {
  const result = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
  if (result.types === false) return ['the package has no types'];
  const found = result.problems.filter(
    (problem) => !(problem.kind === 'NoResolution' && problem.resolutionKind === 'node10') && problem.kind !== 'CJSResolvesToESM',
  );
  return found.map((problem) => JSON.stringify(problem));
}
