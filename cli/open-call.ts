import { shown } from '../shared/job/errors.ts';
import { durationMs } from '../shared/job/duration.ts';
import type { Call } from './call.ts';
import { UsageError } from './exit.ts';
import type { CommandIo } from './command-io.ts';
import { openDeployments } from './deployments/open-deployments.ts';
import type { OpenDeployment } from './deployments/open-deployment.ts';
import { showOn } from './show.ts';
import { instantOf } from './text/instants.ts';
import type { Verb } from './verb.ts';

/** A call as commander read it. */
export interface ParsedCall {
  readonly verb: Verb;
  readonly path: string;
  readonly args: readonly string[];
  readonly values: Readonly<Record<string, unknown>>;
}

/** Gives a verb access to its arguments, to the terminal and to the deployments. */
export function openCall({ verb, path, args, values }: ParsedCall, io: CommandIo): Call {
  const text = (name: string): string | undefined => (typeof values[name] === 'string' ? values[name] : undefined);
  const texts = (name: string): readonly string[] | undefined => (Array.isArray(values[name]) ? (values[name] as string[]) : undefined);
  const instant: Call['instant'] = (name, bare) => instantOf(flagName(name), text(name), { now: io.now(), bare });
  const actor = text('actor') ?? io.user;
  let opened: Promise<readonly OpenDeployment[]> | undefined;
  const deployments = async (): Promise<readonly OpenDeployment[]> =>
    (opened ??= openDeployments(io, { stacks: texts('stack') ?? [], envFiles: texts('envFile') ?? [], actor }));
  const deployment = async (): Promise<OpenDeployment> => {
    if ((texts('stack') ?? []).length + (texts('envFile') ?? []).length > 1) {
      throw new UsageError(
        `${verb.changes === true ? 'a command that changes something' : path} takes exactly one deployment, but several were given.`,
      );
    }
    const [only] = await deployments();
    if (only === undefined) throw new UsageError('no deployment was given. Use --stack or --env-file.');
    return only;
  };
  return {
    io,
    show: showOn(io, { json: values['json'] === true, color: values['color'] !== false, zone: text('zone') }),
    path,
    args,
    actor,
    text,
    texts,
    on: (name) => values[name] === true,
    off: (name) => values[name] === false,
    whole: (name) => wholeOf(name, text(name)),
    number: (name) => numberOf(name, text(name)),
    instant,
    date(name, bare) {
      const at = instant(name, bare);
      return at === undefined ? undefined : new Date(at);
    },
    duration: (name) => durationOf(name, text(name)),
    deployments,
    deployment,
  };
}

/** As it is typed: `--correlation-id`. */
export function flagName(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function wholeOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^-?\d{1,12}$/.test(text)) throw new UsageError(`${flagName(name)} ${shown(text)} is not a whole number.`);
  return Number(text);
}

function numberOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,12}(\.\d{1,6})?$/.test(text)) throw new UsageError(`${flagName(name)} ${shown(text)} is not a number.`);
  return Number(text);
}

const SHORT = /^(\d{1,9})(s|m|h|d|w)$/;
const SHORT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

function durationOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, count, unit] = SHORT.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) return Number(count) * (SHORT_MS[unit] ?? 0);
  try {
    return durationMs(text, flagName(name));
  } catch {
    throw new UsageError(`${flagName(name)} ${shown(text)} is not a valid duration. Use one such as 90s, 5m, 2h, 3d or PT5M.`);
  }
}
