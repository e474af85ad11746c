import { schedule, scheduled } from '../../../support/scheduled-rig.ts';
import type { Break } from './break.ts';

const MINUTE = 60_000;

/** The acquirer fires what is due, and no executor runs for an hour: with `skip` nothing starts, and with `coalesce` one for all. */
export async function workerOff(): Promise<readonly Break[]> {
  const breaks: Break[] = [];
  for (const [missed, most] of [
    ['skip', 0],
    ['coalesce', 1],
  ] as const) {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ cron: '*/10 * * * *', missed }));
    for (let minute = 0; minute < 62; minute++) {
      await rig.tick();
      await rig.clock.advance(MINUTE);
    }
    await rig.drain();
    if (rig.ran.length > most)
      breaks.push({ rule: 'missed-starts-nothing', what: `${missed}: ${rig.ran.join(', ')} started an hour late` });
  }
  return breaks;
}
