import { describe, expect, test } from 'vitest';
import { runCli } from '../../../cli/run-cli.ts';
import type { TypeList } from '../../../operate/index.ts';
import { fakeTerminal, NOON } from '../../cli/fake-terminal.ts';

async function printed(list: TypeList, ...args: readonly string[]): Promise<string> {
  const terminal = fakeTerminal({ admin: { types: async () => Promise.resolve(list) }, environment: { NIGHTCREW_TABLES: '{}' } });
  expect(await runCli(['types', ...args], terminal.io)).toBe(0);
  return terminal.out();
}

const on = { worker: 'default', kind: 'lambda', versions: ['2'], current: true, off: false, lastSeen: new Date(NOON - 120_000) } as const;
const idle = { deadLetters: 0, suspended: false, handlerMissing: false } as const;
const TYPES: TypeList = {
  types: [
    { ...idle, type: 'mail', workers: [on, { ...on, worker: 'heavy', off: true, lastSeen: new Date(NOON - 60_000) }], deadLetters: 1_234 },
    { ...idle, type: 'old', workers: [{ ...on, current: false }], suspended: true },
    { ...idle, type: 'lost', workers: [], handlerMissing: true },
  ],
  anyType: [],
  complete: true,
  readUnits: 1.5,
};

describe('nightcrew types', () => {
  test('shows each type with its workers, the last report, its dead letters and what is wrong', async () => {
    const out = await printed(TYPES);
    expect(out).toMatch(/mail +default heavy +1m ago +≥ 1,234 +off on heavy/);
    expect(out).toMatch(/old +default +2m ago +suspended, no longer on default/);
    expect(out).toMatch(/lost +handler missing, no worker reports it/);
    expect(out).not.toContain('too many');
  });

  test('shows the bound on a backlog with what was measured, if anything was', async () => {
    const types = [
      { ...idle, type: 'free', workers: [on], backlog: { bound: 2_000, ready: 1_999, measuredAt: new Date(NOON) } },
      { ...idle, type: 'full', workers: [on], backlog: { bound: 2_000, ready: 2_000, measuredAt: new Date(NOON) } },
      { ...idle, type: 'new', workers: [on], backlog: { bound: 2_000 } },
    ];
    const out = await printed({ ...TYPES, types });
    expect(out).toMatch(/TYPE +WORKERS +LAST SEEN +BACKLOG +DEAD +NOTE/);
    expect(out).toMatch(/free +default +2m ago +1,999 of 2,000/);
    expect(out).toMatch(/full +default +2m ago +2,000 of 2,000/);
    expect(out).toMatch(/new +default +2m ago +\? of 2,000/);
  });

  test('says which workers take every type, and that some may be missing', async () => {
    const out = await printed({ ...TYPES, anyType: ['python'], complete: false });
    expect(out).toContain('python: every type.');
    expect(out).toContain('types and dead letters may be missing');
    expect(out).not.toContain('no worker reports it');
  });

  test('gives what the library gives as JSON', async () => {
    expect(JSON.parse(await printed(TYPES, '--json'))).toEqual(JSON.parse(JSON.stringify(TYPES)));
  });
});
