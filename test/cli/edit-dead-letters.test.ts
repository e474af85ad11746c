import { describe, expect, it, vi } from 'vitest';
import { runCli } from '../../cli/run-cli.ts';
import { createAdminOver } from '../../operate/admin.ts';
import { defineJob } from '../../shared/index.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { fakeTerminal } from './fake-terminal.ts';

const environment = { NIGHTCREW_TABLES: '{}', NIGHTCREW_DEPLOYMENT: 'shop' };
const charge = defineJob('charge', { payload: anyPayload, retry: 'never' });
const PAYLOAD = ['--payload', '{"currency":"EUR"}'];

/** A dead letter and a timer. */
async function failed() {
  const rig = new Rig({
    handlers: [
      charge.handle(() => {
        throw new Error('no');
      }),
    ],
  });
  const dead = await rig.client.enqueue(charge, { currency: 'Euro' });
  await rig.drain();
  const timer = await rig.client.enqueue(charge, { currency: 'Euro' }, { delay: 'PT1H' });
  const admin = createAdminOver(rig.deps);
  const nightcrew = async (...args: readonly string[]) => {
    const terminal = fakeTerminal({ environment, admin, now: () => rig.clock.now() });
    return { code: await runCli(args, terminal.io), out: terminal.out() };
  };
  return { rig, admin, dead: dead.id, timer: timer.id, nightcrew };
}

describe('nightcrew dead-letters edit', () => {
  it('leaves a job alone that is no dead letter, and says in which state it is', async () => {
    const { rig, timer, nightcrew } = await failed();
    const before = await rig.rows('timers');
    expect(await nightcrew('dead-letters', 'edit', timer, ...PAYLOAD, '--redrive')).toEqual({
      code: 3,
      out: `${timer}  left alone: waiting\n`,
    });
    const { code, out } = await nightcrew('dead-letters', 'edit', timer, ...PAYLOAD, '--json');
    expect({ code, told: JSON.parse(out) }).toEqual({ code: 3, told: { id: timer, outcome: 'waiting' } });
    expect(await rig.rows('timers')).toEqual(before);
  });

  it('says of an id that no job has that it was not found', async () => {
    const { rig, nightcrew } = await failed();
    const unknown = rig.client.newId();
    expect(await nightcrew('dead-letters', 'edit', unknown, ...PAYLOAD)).toEqual({ code: 3, out: `${unknown}  left alone: not-found\n` });
  });

  it('edits a dead letter, and refuses a revision that is not its own', async () => {
    const { admin, dead, nightcrew } = await failed();
    expect((await nightcrew('dead-letters', 'edit', dead, ...PAYLOAD, '--rev', '0')).code).toBe(3);
    expect((await admin.find(dead))?.payload).toBe('{"currency":"Euro"}');
    expect((await nightcrew('dead-letters', 'edit', dead, ...PAYLOAD)).code).toBe(0);
    expect((await admin.find(dead))?.payload).toBe('{"currency":"EUR"}');
  });

  it('edits and redrives in one write, with the reason in the audit', async () => {
    const { rig, admin, dead, nightcrew } = await failed();
    expect(await nightcrew('dead-letters', 'edit', dead, ...PAYLOAD, '--redrive', '--reason', 'wrong code')).toEqual({
      code: 0,
      out: expect.stringMatching(`^${dead}  edited, redriven\n`),
    });
    expect(await admin.find(dead)).toMatchObject({ state: 'ready', payload: '{"currency":"EUR"}' });
    expect(await admin.audit()).toMatchObject([{ verb: 'redrive', jobId: dead, reason: 'wrong code', detail: 'with another payload' }]);
    expect(rig.journal.count('redriven')).toBe(1);
  });

  it('leaves a dead letter alone that is redriven in the meantime', async () => {
    const { admin, dead, nightcrew } = await failed();
    const found = await admin.find(dead);
    await admin.redrive(dead);
    vi.spyOn(admin, 'find').mockResolvedValueOnce(found);
    expect((await nightcrew('dead-letters', 'edit', dead, ...PAYLOAD)).code).toBe(3);
    expect((await admin.find(dead))?.payload).toBe('{"currency":"Euro"}');
  });
});
