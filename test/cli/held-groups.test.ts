import { describe, expect, it } from 'vitest';
import { runCli } from '../../cli/run-cli.ts';
import { openConsole } from '../console/open-console.ts';
import { groupStage } from '../support/group-stage.ts';
import { fakeTerminal } from './fake-terminal.ts';

const environment = { NIGHTCREW_TABLES: '{}', NIGHTCREW_DEPLOYMENT: 'shop' };
const HOUR = 3_600_000;

async function heldByDeadLetter() {
  const { rig, enqueue, admin } = groupStage();
  const a = await enqueue('a', { fails: 2 });
  const b = await enqueue('b');
  await rig.drain();
  await rig.clock.advance(HOUR);
  await rig.fire();
  await rig.drain();
  const nightcrew = async (...args: readonly string[]): Promise<string> => {
    const terminal = fakeTerminal({ environment, admin, now: () => rig.clock.now() });
    expect(await runCli(args, terminal.io)).toBe(0);
    return terminal.out();
  };
  return { rig, a, b, admin, nightcrew };
}

describe('a group that a dead letter holds back', () => {
  it('is listed on the command line, which says how to let it go on, and does', async () => {
    const { a, b, nightcrew } = await heldByDeadLetter();
    const groups = await nightcrew('groups');
    expect(groups).toMatch(new RegExp(`order +1 .*when it has ended +${a} step dead`));
    expect(groups).toContain('nightcrew dead-letters release-group');
    expect(await nightcrew('jobs', 'list', '--state', 'parked')).toMatch(new RegExp(`${b} .*order of its group`));
    expect(await nightcrew('dead-letters', 'release-group', a, '--reason', 'corrected')).toContain(`${a}  released`);
    expect(await nightcrew('groups')).toContain('No group is locked or held back while jobs of it wait.');
  });

  it('is listed in the console, which says of a parked job what it waits for', async () => {
    const { rig, a, b, admin } = await heldByDeadLetter();
    const console = await openConsole({ admin, now: () => rig.clock.now() });
    try {
      const groups = await console.get('/groups');
      expect(groups.text).toContain('Groups that a failure holds back');
      expect(groups.text).toContain(a);
      expect((await console.get(`/jobs/${b}`)).text).toContain('the order of its group');
      expect((await console.get(`/jobs/${a}`)).text).toContain('Release its group');
      expect(console.problems).toEqual([]);
    } finally {
      await console.close();
    }
  });
});
