import { parseArgs } from 'node:util';
import { ENVIRONMENT } from '../../shared/config/environment.ts';
import { defined } from '../../shared/job/defined.ts';
import { shown } from '../../shared/job/errors.ts';
import type { EndAnswer, ExternalFailure, ExternalTask, LockAnswer } from '../../functions/worker/external/external.ts';
import type { Command } from '../command.ts';
import { EXIT, UsageError } from '../exit.ts';
import type { CommandIo } from '../command-io.ts';
import { jsonText, plain } from '../text/plain.ts';

const USAGE = `Usage:
  nightcrew external fetch [--count <n>] [--lease <duration>] [--wait <duration>]
  nightcrew external extend <id> --token <token> [--lease <duration>]
  nightcrew external complete <id> --token <token> [--result <json>] [--keep-result <duration>]
  nightcrew external fail <id> --token <token> --message <text> [--name <text>] [--retries <n>] [--delay <duration>]
  nightcrew external unlock <id> --token <token>

Jobs of a worker for code that is not JavaScript: fetched under a lock, and answered with the token that came with them.
  --worker <name>  the worker whose jobs they are; default: ${ENVIRONMENT.worker}
  --json           prints JSON: {"tasks":[...]}, or {"result":"..."}
Durations are ISO-8601, such as PT5M. Defaults: one task, a lock of PT1M, no wait.
Exit codes: 0 done, 1 the store did not answer, 2 wrong arguments, 3 lost (the lock had ended, nothing was written), 4 cancel asked.
`;

const OPTIONS = {
  worker: { type: 'string' },
  json: { type: 'boolean' },
  count: { type: 'string' },
  lease: { type: 'string' },
  wait: { type: 'string' },
  token: { type: 'string' },
  result: { type: 'string' },
  'keep-result': { type: 'string' },
  message: { type: 'string' },
  name: { type: 'string' },
  retries: { type: 'string' },
  delay: { type: 'string' },
} as const;

type OptionName = keyof typeof OPTIONS;
const EVERYWHERE: readonly OptionName[] = ['worker', 'json'];
/** The arguments of each verb in addition to the common ones. */
const TAKES: Readonly<Record<string, readonly OptionName[]>> = {
  fetch: ['count', 'lease', 'wait'],
  extend: ['token', 'lease'],
  complete: ['token', 'result', 'keep-result'],
  fail: ['token', 'message', 'name', 'retries', 'delay'],
  unlock: ['token'],
};
const DEFAULT_LEASE = 'PT1M';

/** `nightcrew external`: the verbs of an external worker. */
export const externalCommand: Command = {
  name: 'external',
  summary: 'fetch, extend, complete, fail and unlock jobs of a worker outside Lambda',
  usage: USAGE,
  async run(args, io) {
    const { verb, id, values } = readArguments(args);
    const worker = values.worker ?? io.environment[ENVIRONMENT.worker];
    if (worker === undefined) throw new UsageError(`--worker is missing, and so is ${ENVIRONMENT.worker}.`);
    const session = io.openExternal(worker);
    const { lease = DEFAULT_LEASE, wait, token = '' } = values;
    switch (verb) {
      case 'fetch':
        return showTasks(
          io,
          values.json,
          await session.fetchAndLock(numberOf('count', values.count) ?? 1, lease, wait === undefined ? {} : { wait }),
        );
      case 'extend':
        return showAnswer(io, values.json, await session.extendLock(id, token, lease));
      case 'complete':
        return showAnswer(io, values.json, await session.complete(id, token, resultOf(values)));
      case 'fail':
        return showAnswer(io, values.json, await session.fail(id, token, failureOf(values)));
      default:
        return showAnswer(io, values.json, await session.unlock(id, token));
    }
  },
};

type Values = Partial<Record<Exclude<OptionName, 'json'>, string>> & { readonly json?: boolean };

function readArguments(args: readonly string[]): { readonly verb: string; readonly id: string; readonly values: Values } {
  let parsed;
  try {
    parsed = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError(shown(error instanceof Error ? error.message : error).slice(1, -1));
  }
  const [verb = '', id = '', ...more] = parsed.positionals;
  const takes = Object.hasOwn(TAKES, verb) ? TAKES[verb] : undefined;
  if (takes === undefined) throw new UsageError(`use one of ${Object.keys(TAKES).join(', ')}.`);
  const stray = Object.keys(parsed.values).find((name) => ![...EVERYWHERE, ...takes].includes(name as OptionName));
  if (stray !== undefined) throw new UsageError(`${verb} takes no --${stray}.`);
  if (more.length > 0 || (verb === 'fetch' && id !== '')) throw new UsageError(`${shown(more[0] ?? id)} is not expected here. Remove it.`);
  if (verb !== 'fetch' && id === '') throw new UsageError(`${verb} needs the id of a task.`);
  if (verb !== 'fetch' && parsed.values.token === undefined) throw new UsageError(`${verb} needs --token, which came with the task.`);
  if (verb === 'fail' && parsed.values.message === undefined) throw new UsageError('fail needs --message.');
  return { verb, id, values: parsed.values };
}

function numberOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--${name} ${shown(text)} is not a whole number.`);
  return Number(text);
}

function resultOf({ result, 'keep-result': keepResult }: Values): { result?: unknown; keepResult?: string } {
  const keep = keepResult === undefined ? {} : { keepResult };
  if (result === undefined) return keep;
  try {
    return { result: JSON.parse(result) as unknown, ...keep };
  } catch {
    throw new UsageError('--result is not JSON. Put a string in quotes: \'"done"\'.');
  }
}

function failureOf({ message = '', name, retries, delay }: Values): ExternalFailure {
  const left = numberOf('retries', retries);
  return { message, ...defined({ name, retries: left, delay }) };
}

function showTasks(io: CommandIo, json: boolean | undefined, tasks: readonly ExternalTask[]): number {
  if (json === true) io.out(`${jsonText({ tasks })}\n`);
  else if (tasks.length === 0) io.out('No job is there.\n');
  for (const task of json === true ? [] : tasks) {
    io.out(
      `${plain(task.id)}  ${plain(task.type)}  attempt ${task.attempt}  locked until ${task.lockedUntil.toISOString()}\n  token ${plain(task.token)}\n  ${jsonText(task.payload)}\n`,
    );
  }
  return EXIT.done;
}

function showAnswer(io: CommandIo, json: boolean | undefined, answer: EndAnswer | LockAnswer): number {
  const until = 'lockedUntil' in answer ? ` until ${answer.lockedUntil.toISOString()}` : '';
  io.out(json === true ? `${jsonText(answer)}\n` : `${answer.result}${until}\n`);
  if (answer.result === 'lost') return EXIT.lost;
  return answer.result === 'cancelled' || answer.result === 'cancel-asked' ? EXIT.cancelled : EXIT.done;
}
