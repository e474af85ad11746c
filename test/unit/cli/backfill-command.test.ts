import { describe, expect, it } from 'vitest';
import { runCli } from '../../../cli/run-cli.ts';
import type { BackfillOptions, BackfillReport } from '../../../shared/features/schedules/admin/backfill.ts';
import { fakeTerminal } from '../../cli/fake-terminal.ts';

const environment = { NIGHTCREW_TABLES: '{}', NIGHTCREW_DEPLOYMENT: 'shop' };
const RANGE = ['--from', '2026-02-01T00:00:00Z', '--to', '2026-02-28T00:00:00Z'];
const found = { count: 2, first: new Date('2026-02-01T09:00:00Z'), last: new Date('2026-02-02T09:00:00Z') };

async function nightcrew(args: readonly string[], given: Partial<BackfillReport> | 'unknown' = {}, answer?: string) {
  const asked: BackfillOptions[] = [];
  const backfill = async (_name: string, options: BackfillOptions): Promise<BackfillReport | undefined> => {
    asked.push(options);
    const applied = options.apply === true;
    return Promise.resolve(
      given === 'unknown' ? undefined : { applied, ...found, enqueued: applied ? 1 : 0, known: applied ? 1 : 0, ...given },
    );
  };
  const terminal = fakeTerminal({ environment, admin: { schedules: { backfill } as never } });
  if (answer !== undefined) Object.assign(terminal.io, { ask: async () => Promise.resolve(answer) });
  const code = await runCli(['schedules', 'backfill', 'nightly', ...args], terminal.io);
  return { code, out: terminal.out(), err: terminal.err(), asked };
}

describe('nightcrew schedules backfill', () => {
  it('is a dry run by default, and says how to enqueue', async () => {
    const { code, out, asked } = await nightcrew([...RANGE, '--limit', '5', '--rate', '0.5']);
    expect([code, asked.length]).toEqual([0, 1]);
    expect(asked[0]).toMatchObject({ limit: 5, ratePerSecond: 0.5, from: Date.parse('2026-02-01T00:00:00Z') });
    expect(asked[0]).not.toHaveProperty('apply');
    expect(out).toContain('Dry run: 2 occurrences of nightly (2026-02-01T09:00:00Z to 2026-02-02T09:00:00Z). Nothing was written; --apply');
  });

  it('enqueues only after the number was typed', async () => {
    const refused = await nightcrew([...RANGE, '--apply'], {}, '3');
    expect([refused.code, refused.asked.length]).toEqual([2, 1]);
    expect(refused.err).toContain('the answer was not that number');
    const done = await nightcrew([...RANGE, '--apply', '--reason', 'lost', '--actor', 'ann'], {}, '2');
    expect([done.code, done.asked.length]).toEqual([0, 2]);
    expect(done.asked[1]).toMatchObject({ apply: true, limit: 2, reason: 'lost', actor: 'ann' });
    expect(done.out).toContain(
      '2 occurrences of nightly (2026-02-01T09:00:00Z to 2026-02-02T09:00:00Z): 1 enqueued, 1 known and left alone.',
    );
  });

  it('asks for --yes where there is no terminal, and does not ask with it', async () => {
    const refused = await nightcrew([...RANGE, '--apply']);
    expect([refused.code, refused.asked.length]).toEqual([2, 1]);
    expect(refused.err).toContain('use --yes');
    expect((await nightcrew([...RANGE, '--apply', '--yes'])).asked[1]).toMatchObject({ apply: true });
  });

  it('prints the command that continues, and what is left to the schedule', async () => {
    const more = { next: new Date('2026-02-03T09:00:00Z'), undecided: new Date('2026-02-20T09:00:00Z') };
    const { err, out } = await nightcrew([...RANGE, '--apply', '--yes', '--rate', '2'], more);
    expect(err).toContain('schedules backfill nightly --from 2026-02-03T09:00:00Z --to 2026-02-28T00:00:00Z --rate 2 --apply');
    expect(out).toContain('From 2026-02-20T09:00:00Z on the schedule itself runs what is due');
  });

  it('says that there is nothing in the range, or no such schedule', async () => {
    const none = await nightcrew([...RANGE, '--apply'], { count: 0, first: undefined, last: undefined } as never);
    expect([none.code, none.asked.length]).toEqual([0, 2]);
    expect(none.out).toContain('0 occurrences of nightly in this range. Nothing was written.');
    const unknown = await nightcrew([...RANGE, '--apply'], 'unknown');
    expect(unknown.code).toBe(3);
    expect(unknown.out).toContain('No schedule nightly.');
    expect((await nightcrew([...RANGE, '--json'], 'unknown')).out.trim()).toBe('null');
  });

  it.each([
    [['--to', '1d'], '--from is missing'],
    [['--from', '1d'], '--to is missing'],
  ])('with %j alone names what is missing', async (args, message) => {
    const { code, err, asked } = await nightcrew(args);
    expect([code, asked.length]).toEqual([2, 0]);
    expect(err).toContain(message);
  });
});
