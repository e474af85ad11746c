import { describe, expect, test } from 'vitest';
import { runCli } from '../../cli/run-cli.ts';
import type { Admin } from '../../operate/admin.ts';
import type { JobTimeline } from '../../operate/timeline.ts';
import type { AttemptEntry } from '../../shared/features/history/model/history-entry.ts';
import { fakeTerminal, NOON } from './fake-terminal.ts';

/** What the command line prints over an admin that gives these answers. */
async function printed(admin: Partial<Admin>, ...args: readonly string[]): Promise<string> {
  const terminal = fakeTerminal({ environment: { NIGHTCREW_TABLES: '{}', NIGHTCREW_DEPLOYMENT: 'shop' }, admin });
  await runCli(args, terminal.io);
  return terminal.out();
}

const ago = (seconds: number): Date => new Date(NOON - 1_000 * seconds);

const ATTEMPT: AttemptEntry = { attempt: 2, startedAt: ago(30), endedAt: ago(28), outcome: 'completed', requestId: 'r' };
const JOB = {
  id: '01a1ff1d-5686-7949-88c8-e8269ab9006e',
  type: 'mail',
  state: 'finished',
  worker: 'main',
  lane: 'main',
  priority: 0,
  dueAt: ago(240),
  createdAt: ago(240),
  attempts: 2,
  failures: 0,
  crashes: 0,
  rev: 4,
} as const;

describe('a job whose first run was killed beside neighbours', () => {
  test('is shown with an attempt that left no record, although no crash alone is counted', async () => {
    const timeline: JobTimeline = {
      id: JOB.id,
      entries: [{ kind: 'attempt', at: ATTEMPT.startedAt, attempt: ATTEMPT }],
      actsComplete: true,
    };
    const admin: Partial<Admin> = { find: async () => Promise.resolve(JOB), timeline: async () => Promise.resolve(timeline) };
    const lines = (await printed(admin, 'jobs', 'show', JOB.id)).split('\n');
    const told = lines.findIndex((line) => line.startsWith('  attempt 1 '));
    expect(lines[told]).toBe('  attempt 1  no record: its process was killed, or the record was lost or has expired');
    expect(lines[told + 1]).toMatch(/^ {2}attempt 2 .* completed$/);
  });
});

describe('the course of a job', () => {
  const act = (verb: string, second: number, more = {}) => ({
    kind: 'act' as const,
    at: ago(second),
    act: { verb, actor: 'anna\u202e', at: ago(second), ...more },
  });
  const timeline: JobTimeline = {
    id: JOB.id,
    entries: [
      act('setPriority', 60, { detail: '5', reason: 'soon' }),
      { kind: 'attempt', at: ATTEMPT.startedAt, attempt: { ...ATTEMPT, attempt: 1 } },
      act('erase', 20),
    ],
    result: { json: '{"total":7}', until: ago(-60) },
    actsComplete: false,
  };
  const admin: Partial<Admin> = { find: async () => Promise.resolve(JOB), timeline: async () => Promise.resolve(timeline) };

  test('has what operators did between the attempts, in order, and the result', async () => {
    const lines = (await printed(admin, 'jobs', 'show', JOB.id)).trimEnd().split('\n');
    expect(lines.at(-4)).toMatch(/^ {2}result: +\{"total":7\}$/);
    expect(lines.at(-3)).toMatch(/^ {2}setPriority by anna\S+ {2}2026-.* {2}5 · soon$/);
    expect(lines.at(-2)).toMatch(/^ {2}attempt 1 /);
    expect(lines.at(-1)).toMatch(/^ {2}erase by anna/);
    expect(lines.join('')).not.toContain('\u202e');
  });

  test('is there as JSON, and says that the audit was not read to its end', async () => {
    const data = JSON.parse(await printed(admin, 'jobs', 'show', JOB.id, '--json')) as Record<string, unknown>;
    expect(data).toMatchObject({ history: [{ attempt: 1 }], acts: [{ verb: 'setPriority' }, { verb: 'erase' }], actsComplete: false });
    expect(data['result']).toMatchObject({ json: '{"total":7}' });
  });
});

describe('a job in full', () => {
  test('has a space between every name and its value', async () => {
    const held = {
      ...JOB,
      state: 'running',
      lockOwner: 'run/x',
      lockExpiresAt: ago(-60),
      cancelRequested: true,
      correlationId: 'c',
    } as const;
    const admin: Partial<Admin> = { find: async () => Promise.resolve(held), timeline: async () => Promise.resolve(undefined) };
    const lines = (await printed(admin, 'jobs', 'show', JOB.id)).trimEnd().split('\n').slice(1);
    expect(lines.find((line) => line.includes('lock expires at:'))).toMatch(/at: +2026-01-31/);
    expect(lines.filter((line) => !/^ {2}[a-z ]+: +\S/.test(line))).toEqual([]);
    expect(new Set(lines.map((line) => line.search(/(?<=: +)\S/))).size).toBe(1);
  });
});

describe('error groups, whose sums lag behind the dead letters', () => {
  const group = {
    fingerprint: 'f1',
    type: 'mail',
    errorName: 'Error',
    message: 'no',
    state: 'open' as const,
    open: 11,
    seen: 12,
    redriven: 1,
    deleted: 0,
    firstSeen: ago(90),
    lastSeen: ago(80),
    sample: JOB.id,
  };

  test('say in a list that there are at least so many, and what counts them', async () => {
    const out = await printed({ errorGroups: async () => ({ groups: [group], readUnits: 1 }) }, 'dead-letters', 'groups');
    expect(out).toMatch(/^f1 +≥11 +≥12 /m);
    expect(out).toContain('≥: a lower bound; group <fingerprint> counts. 1 read units.');
  });

  test('say of one group how many lie there, counted, and of the others at least so many', async () => {
    const out = await printed({ errorGroup: async () => group }, 'dead-letters', 'group', 'f1');
    expect(out).toContain('11 open; seen ≥12, redriven ≥1, deleted 0');
  });
});
