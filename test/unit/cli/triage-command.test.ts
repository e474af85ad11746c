import { describe, expect, it } from 'vitest';
import { runCli } from '../../../cli/run-cli.ts';
import { fakeTerminal } from '../../cli/fake-terminal.ts';

const environment = { NIGHTCREW_TABLES: '{}', NIGHTCREW_DEPLOYMENT: 'shop' };

async function nightcrew(...args: readonly string[]) {
  const asked: unknown[] = [];
  const verb =
    <Outcome extends string>(outcome: Outcome) =>
    async (fingerprint: string, ...rest: readonly unknown[]): Promise<Outcome | 'not-found'> => {
      asked.push([fingerprint, ...rest]);
      return Promise.resolve(fingerprint === 'none' ? 'not-found' : outcome);
    };
  const admin = {
    annotateErrorGroup: verb('annotated'),
    ignoreErrorGroup: verb('ignored'),
    resolveErrorGroup: verb('resolved'),
    reopenErrorGroup: verb('reopened'),
  };
  const terminal = fakeTerminal({ environment, admin });
  const code = await runCli(['dead-letters', ...args, '--actor', 'anna'], terminal.io);
  return { code, out: terminal.out(), err: terminal.err(), asked };
}

describe('nightcrew dead-letters, on error groups', () => {
  it('annotates one, and removes what is given as an empty text', async () => {
    const { code, out, asked } = await nightcrew('annotate', 'f1', '--note', 'the bank', '--owner', '', '--reason', 'why');
    expect([code, out]).toEqual([0, 'f1: annotated\n']);
    expect(asked).toEqual([['f1', { note: 'the bank', owner: null }, { actor: 'anna', reason: 'why' }]]);
    const bare = await nightcrew('annotate', 'f1');
    expect([bare.code, bare.asked, bare.err.includes('use --note or --owner')]).toEqual([2, [], true]);
  });

  it('ignores one until a time, resolves one and reopens one', async () => {
    const ignored = await nightcrew('ignore', 'f1', '--until', '2026-02-01T00:00:00Z');
    expect(ignored.asked).toEqual([['f1', Date.UTC(2026, 1, 1), { actor: 'anna' }]]);
    expect((await nightcrew('ignore', 'f1')).err).toContain('--until is missing');
    expect((await nightcrew('resolve', 'f1')).out).toBe('f1: resolved\n');
    expect((await nightcrew('reopen', 'f1')).out).toBe('f1: reopened\n');
  });

  it('says that there is no such group, with exit code 3', async () => {
    const { code, err } = await nightcrew('resolve', 'none');
    expect([code, err]).toEqual([3, 'No error group none.\n']);
  });
});
