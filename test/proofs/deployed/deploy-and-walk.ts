import { join } from 'node:path';
import { createRunFolder } from '../../../local/run-folder.ts';
import { systemClock, systemEntropy } from '../../../shared/config/system.ts';
import { type Cdk, createCdk } from './cdk.ts';
import { leftOver } from './left-over.ts';
import { createOperator } from './operator.ts';
import { type Report, type RunTerms, until } from './report.ts';
import type { Target } from './target.ts';
import { walk, type Walked } from './walk.ts';

/** What a run came to; `walked` is absent when there was nothing to walk through. */
export interface Ran {
  readonly stack: string;
  /** Resources that the stack was seen to own while it was there. */
  readonly resources: number;
  readonly deploySeconds: number;
  readonly walked?: Walked;
}

const FOLDER = join(import.meta.dirname, '..', '..', '..', '.emulators', 'deployed');

/** A stack name that no other run has. */
export function freshStackName(): string {
  return `NightcrewTest-${Buffer.from(systemEntropy.bytes(4)).toString('hex')}`;
}

/** Deploys the example, walks, destroys. Destroys whatever happened before, and looks for what is left. */
export async function deployAndWalk(target: Target, stack: string, run: RunTerms & { readonly report: Report }): Promise<Ran> {
  const { report, clock, stopping } = run;
  const cdk = createCdk(target, stack, createRunFolder(clock.now(), FOLDER));
  if (target.bootstrap && (await report.step('cdk bootstrap', bootstrap(cdk))) === undefined)
    return { stack, resources: 0, deploySeconds: 0 };
  const started = clock.now();
  const outputs = stopping.aborted ? undefined : await report.step(`cdk deploy ${stack}`, () => cdk.deploy());
  const deploySeconds = Math.round((clock.now() - started) / 100) / 10;
  const operator = outputs && (await report.step('its order function and its outputs are there', () => createOperator(stack, outputs)));
  const walked = operator && (await walk({ target, operator, report, terms: run }));
  const there = operator && (await report.step('what the stack owns can be listed', () => owned(stack)));
  await report.step(`cdk destroy ${stack}`, () => cdk.destroy());
  await report.step('nothing is left of it', () => nothingLeft(target, stack, run));
  return { stack, resources: there?.length ?? 0, deploySeconds, ...(walked === undefined ? {} : { walked }) };
}

/** Throws when a target takes the example with its alarms: then it needs no context that turns them off any more. */
export async function refuseAlarms(target: Target): Promise<void> {
  const { alarms: _, ...context } = target.context;
  const cdk = createCdk({ ...target, context }, freshStackName(), createRunFolder(systemClock.now(), FOLDER));
  const refusal = await cdk.deploy().then(
    () => 'nothing',
    (error: unknown) => String(error),
  );
  if (!refusal.includes('metric math')) throw new Error(`with alarms, what was refused was: ${refusal}`);
}

function bootstrap(cdk: Cdk) {
  return async (): Promise<true> => {
    await cdk.bootstrap();
    return true;
  };
}

/** So that an empty list afterwards says something. */
async function owned(stack: string): Promise<readonly string[]> {
  const found = await leftOver(stack);
  for (const kind of ['table ', 'function ', 'queue ', 'event source of ', 'schedule group ', 'arn:']) {
    if (!found.some((one) => one.startsWith(kind))) throw new Error(`no ${kind.trim()} is listed among: ${found.join(', ')}`);
  }
  return found;
}

async function nothingLeft(target: Target, stack: string, { clock }: RunTerms): Promise<void> {
  const look = (): Promise<readonly string[]> => leftOver(stack);
  const never = new AbortController().signal;
  await until(
    { what: 'an account without it', look, is: (found) => found.length === 0, withinMs: target.patience.leftOverMs },
    { clock, stopping: never },
  );
}
