import { shown } from '../../shared/job/errors.ts';
import type { ActivationTargets } from '../../operate/activation.ts';
import { UsageError } from '../exit.ts';

/** A stack's output for operators: JSON, under a name that ends with `Operator` and a hash. */
export interface OperatorOutput {
  readonly environment: Readonly<Record<string, string>>;
  readonly activation?: ActivationTargets;
}

const KEY = /^(.*)Operator[0-9A-F]{0,8}$/;
const logical = (path: string): string => path.replace(/[^A-Za-z0-9]/g, '');

/** Finds the output of the construct among those of a stack. Throws UsageError when there is none, or several and no construct is named. */
export function operatorOutput(stack: string, construct: string | undefined, outputs: ReadonlyMap<string, string>): OperatorOutput {
  const found = [...outputs].flatMap(([key, text]) => {
    const owner = KEY.exec(key)?.[1];
    const value = owner === undefined ? undefined : readOutput(text);
    return owner === undefined || value === undefined ? [] : [{ owner, value }];
  });
  if (found.length === 0) {
    throw new UsageError(`stack ${shown(stack)} has no output Operator. Deploy it with a JobExecutor of this version, or use --env-file.`);
  }
  const meant = construct === undefined ? found : found.filter(({ owner }) => owner === logical(construct));
  const [only] = meant;
  if (only === undefined || meant.length > 1) {
    const names = found.map(({ owner }) => `${stack}/${owner}`).join(', ');
    throw new UsageError(`stack ${shown(stack)} has ${found.length} deployments. Name one of ${names}.`);
  }
  return only.value;
}

function readOutput(text: string): OperatorOutput | undefined {
  try {
    const value = JSON.parse(text) as Partial<OperatorOutput> | null;
    return typeof value?.environment === 'object' && value.environment !== null ? (value as OperatorOutput) : undefined;
  } catch {
    return undefined;
  }
}
