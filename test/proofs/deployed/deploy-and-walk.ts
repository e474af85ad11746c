import { join } from 'node:path';
import { createRunFolder } from '../../../local/run-folder.ts';
import { systemEntropy } from '../../../shared/adapters/system.ts';
import { type Cdk, createCdk } from './cdk.ts';
import { leftOver, notDestroyed, stackIdOf } from './left-over.ts';
import { createOperator } from './operator.ts';
import { createReport, type Report, type RunTerms, until } from './report.ts';
import type { Target } from './target.ts';
import { staysOff } from './stays-off.ts';
import { walk, type Walked } from './walk.ts';

/** The result of a run; `walked` is absent if there was nothing to walk through. */
export interface Ran {
  readonly stack: string;
  /** Resources that the stack was seen to own while it was there. */
  readonly resources: number;
  readonly deploySeconds: number;
  readonly walked?: Walked;
}

/** Assemblies and logs of runs. */
export const FOLDER: string = join(import.meta.dirname, '..', '..', '..', '.emulators', 'deployed');

/** A stack name that no other run has. */
export function freshStackName(): string {
  return `NightcrewTest-${Buffer.from(systemEntropy.bytes(4)).toString('hex')}`;
}

/** Deploys the example, walks, destroys. Destroys in any case, and checks for remaining resources. */
export async function deployAndWalk(target: Target, stack: string, run: RunTerms & { readonly report: Report }): Promise<Ran> {
  const { report, clock, stopping } = run;
  const folder = createRunFolder(clock.now(), FOLDER);
  const cdk = createCdk(target, stack, folder);
  if (target.bootstrap && (await report.step('cdk bootstrap', bootstrap(cdk))) === undefined)
    return { stack, resources: 0, deploySeconds: 0 };
  const started = clock.now();
  const outputs = stopping.aborted ? undefined : await report.step(`cdk deploy ${stack}`, () => cdk.deploy());
  const deploySeconds = Math.round((clock.now() - started) / 100) / 10;
  const operator = outputs && (await report.step('its order function and its outputs are there', () => createOperator(stack, outputs)));
  const walked = operator && (await walk({ target, operator, report, terms: run }));
  if (operator !== undefined && walked !== undefined && !stopping.aborted) {
    const redeploy = createCdk({ ...target, context: { ...target.context, batchSize: '5' } }, stack, folder);
    await report.step('switched off, it stays off through a deployment that changes its event sources', () =>
      staysOff({ target, operator, report, terms: run }, redeploy),
    );
  }
  const there = operator && (await report.step('what the stack owns can be listed', () => owned(target, stack, run)));
  const stackId = await stackIdOf(stack);
  // What could not be deleted once may be deleted later.
  await report.step(`cdk destroy ${stack}`, () => cdk.destroy().catch(() => cdk.destroy()));
  await report.step('nothing is left of it', () => nothingLeft(target, { stack, stackId }, run));
  return { stack, resources: there?.length ?? 0, deploySeconds, ...(walked === undefined ? {} : { walked }) };
}

/**
 * Deploys the example with its alarms, which the target refuses, and throws unless all that was created before that is gone afterwards. Throws
 * also when the target takes them: then it needs no context that turns them off any more.
 */
export async function failWithAlarms(target: Target, terms: RunTerms): Promise<void> {
  const { alarms: _, ...context } = target.context;
  const lines: string[] = [];
  const report = createReport(terms, (line) => void lines.push(line));
  const { walked } = await deployAndWalk({ ...target, context, bootstrap: false }, freshStackName(), { report, ...terms });
  const failed = lines.filter((line) => line.startsWith('FAILED'));
  if (walked !== undefined || failed.length !== 1 || !/^FAILED {2}cdk deploy[^]*metric math/.test(failed[0] ?? '')) {
    throw new Error(`with alarms, the run said:\n${lines.join('\n')}`);
  }
}

function bootstrap(cdk: Cdk) {
  return async (): Promise<true> => {
    await cdk.bootstrap();
    return true;
  };
}

/** So that an empty list afterwards says something. */
async function owned(target: Target, stack: string, { clock }: RunTerms): Promise<readonly string[]> {
  const kinds = ['table ', 'function ', 'queue ', 'event source of ', 'schedule group ', 'arn:'];
  const missing = (found: readonly string[]): readonly string[] => kinds.filter((kind) => !found.some((one) => one.startsWith(kind)));
  const is = (found: readonly string[]): boolean => missing(found).length === 0;
  const never = new AbortController().signal;
  const expected = { what: `resources of the kinds ${kinds.join(', ')}`, look: () => leftOver(stack), is };
  return until({ ...expected, withinMs: target.patience.leftOverMs }, { clock, stopping: never });
}

async function nothingLeft(
  target: Target,
  { stack, stackId }: { readonly stack: string; readonly stackId: string | undefined },
  { clock }: RunTerms,
): Promise<void> {
  const look = (): Promise<readonly string[]> => notDestroyed(stack, stackId);
  const never = new AbortController().signal;
  await until(
    { what: 'an account without it', look, is: (found) => found.length === 0, withinMs: target.patience.leftOverMs },
    { clock, stopping: never },
  );
}
