import { describe, expect, test } from 'vitest';
import { EXIT } from '../../cli/exit.ts';
import { runCli } from '../../cli/run-cli.ts';
import { StoreUnavailableError } from '../../shared/job/errors.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { createMemoryHintSource } from '../../shared/adapters/memory/hint-source.ts';
import { EveryType } from '../../functions/worker/external/every-type.ts';
import type { External } from '../../functions/worker/external/external.ts';
import { externalOver } from '../../functions/worker/external/external-over.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { fakeTerminal } from './fake-terminal.ts';

const convert = defineJob('convert', { payload: anyPayload });

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function shell(rig: Rig, environment: Record<string, string> = { NIGHTCREW_WORKER: 'default' }) {
  const source = createMemoryHintSource(rig.hints, rig.clock);
  const session = externalOver({ ...rig.deps, handlers: new EveryType('default', []) }, { source, queues: rig.queues });
  return async (...args: readonly string[]): Promise<Ran> => {
    const terminal = fakeTerminal({ environment, openExternal: () => session });
    const code = await runCli(args, terminal.io);
    return { code, out: terminal.out(), err: terminal.err() };
  };
}

async function fetched() {
  const rig = new Rig();
  const run = shell(rig);
  await rig.client.enqueue(convert, { file: 'a' });
  const { out } = await run('external', 'fetch', '--count', '3', '--lease', 'PT5M', '--json');
  const { tasks } = JSON.parse(out) as { tasks: { id: string; token: string; payload: unknown }[] };
  const [task] = tasks;
  if (task === undefined) throw new Error('There was no task.');
  return { rig, run, task };
}

describe('nightcrew external', () => {
  test('fetches a task as JSON and completes it with its token', async () => {
    const { rig, run, task } = await fetched();
    expect(task.payload).toEqual({ file: 'a' });
    const done = await run('external', 'complete', task.id, '--token', task.token, '--result', '{"pages":3}', '--json');
    expect(done).toMatchObject({ code: EXIT.done, out: '{"result":"completed"}\n' });
    expect(await rig.client.get(task.id)).toMatchObject({ state: 'finished' });
  });

  test('says by its exit code that the lock was lost', async () => {
    const { run, task } = await fetched();
    await run('external', 'unlock', task.id, '--token', task.token);
    const late = await run('external', 'extend', task.id, '--token', task.token, '--lease', 'PT1M', '--json');
    expect(late).toMatchObject({ code: EXIT.lost, out: '{"result":"lost"}\n' });
  });

  test('says by its exit code that a cancel was asked for', async () => {
    const { rig, run, task } = await fetched();
    await rig.client.cancel(task.id);
    expect((await run('external', 'extend', task.id, '--token', task.token)).code).toBe(EXIT.cancelled);
    expect(await run('external', 'fail', task.id, '--token', task.token, '--message', 'x')).toMatchObject({
      code: EXIT.cancelled,
      out: 'cancelled\n',
    });
  });

  test('fails a task for good when no tries are left', async () => {
    const { rig, run, task } = await fetched();
    const failed = await run('external', 'fail', task.id, '--token', task.token, '--message', 'broken', '--name', 'Torn', '--retries', '0');
    expect(failed).toMatchObject({ code: EXIT.done, out: 'dead\n' });
    expect((await rig.rows('deadLetters'))[0]).toMatchObject({ errorName: 'Torn', errorMessage: 'broken' });
  });

  test('prints what people read, and nothing is no error', async () => {
    const rig = new Rig();
    expect(await shell(rig)('external', 'fetch')).toEqual({ code: EXIT.done, out: 'No job is there.\n', err: '' });
    await rig.client.enqueue(convert, { file: 'b' });
    expect((await shell(rig)('external', 'fetch')).out).toMatch(/convert {2}attempt 1 .*\n {2}token run\/.*\n {2}\{"file":"b"\}/);
  });

  test.each([
    [['external'], 'use one of fetch'],
    [['external', 'acquire'], 'use one of fetch'],
    [['external', 'fetch', '--token', 'x'], 'fetch takes no --token'],
    [['external', 'fetch', '--count', 'many'], '--count "many"'],
    [['external', 'fetch', '--count', '0'], 'n: 0'],
    [['external', 'fetch', '--lease', 'soon'], 'lease: "soon"'],
    [['external', 'complete', '--token', 'x'], 'needs the id'],
    [['external', 'complete', 'id'], 'needs --token'],
    [['external', 'complete', 'id', '--token', 'nonsense'], 'token: "nonsense"'],
    [['external', 'complete', 'id', '--token', 'run/x~1', '--result', 'done'], '--result is not JSON'],
    [['external', 'fail', 'id', '--token', 'x'], 'needs --message'],
    [['external', 'unlock', 'id', 'more', '--token', 'x'], '"more" is not expected here. Remove it.'],
    [['external', 'fetch', '--nonsense'], "Unknown option '--nonsense'"],
    [['export'], '"export" is not a command'],
    [[], 'Usage: nightcrew <command>'],
  ])('refuses %j and says why', async (args, message) => {
    const { code, out, err } = await shell(new Rig())(...args);
    expect({ code, out }).toEqual({ code: EXIT.usage, out: '' });
    expect(err).toContain(message);
  });

  test.each([[], ['--json']])('spells out what a payload would do to a terminal: %j', async (...flags) => {
    const payload = { text: '\u009b31m\u202e\u061c\u001b[2J' };
    const task = { id: 'i', type: 't\u009b', attempt: 1, token: 'k', lockedUntil: new Date(0), payload };
    const openExternal = () => ({ fetchAndLock: async () => Promise.resolve([task]) }) as unknown as External;
    const terminal = fakeTerminal({ openExternal });
    expect(await runCli(['external', 'fetch', '--worker', 'w', ...flags], terminal.io)).toBe(EXIT.done);
    expect(terminal.out()).toContain('\\u009b31m\\u202e\\u061c\\u001b[2J');
    // oxlint-disable-next-line no-control-regex -- what must not be there
    expect(terminal.out()).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u202e]/);
  });

  test('asks for a worker when neither an option nor the environment names one', async () => {
    const { code, err } = await shell(new Rig(), {})('external', 'fetch');
    expect(code).toBe(EXIT.usage);
    expect(err).toContain('NIGHTCREW_WORKER');
  });

  test('ends with another code when the store does not answer', async () => {
    const openExternal = () => {
      throw new StoreUnavailableError('receive', new Error('down'));
    };
    const terminal = fakeTerminal({ openExternal });
    expect(await runCli(['external', 'fetch', '--worker', 'w'], terminal.io)).toBe(EXIT.failed);
    expect(terminal.err()).toContain('did not answer');
  });

  test('explains itself', async () => {
    const run = shell(new Rig());
    expect(await run('--help')).toMatchObject({ code: EXIT.done, out: expect.stringContaining('external') });
    expect(await run('external', '--help')).toMatchObject({ code: EXIT.done, out: expect.stringContaining('Exit codes') });
  });
});
