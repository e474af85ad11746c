import type { Region } from '../../../local/region.ts';
import { createAdmin } from '../../../operate/index.ts';
import { systemClock } from '../../../shared/adapters/system.ts';
import type { AcceptedJob } from './audit.ts';
import { readRemains, type Remains } from './evidence.ts';
import { fix } from './ledger-file.ts';

/** Messages of a killed FIFO batch are hidden for 44 s, and their groups with them; a crash loop takes four leases of 14 s. */
const MOST_MS = 600_000;
const LOOK_EVERY_MS = 500;

/** Redrives what was meant to be repaired, and waits until everything has ended, or for three minutes; gives back what there is then. */
export async function drain(region: Region, folder: string, accepted: ReadonlyMap<string, AcceptedJob>): Promise<Remains> {
  const admin = createAdmin({ environment: region.environment });
  const until = systemClock.now() + MOST_MS;
  for (;;) {
    const remains = await readRemains(region);
    const toRepair = [...remains.dead.keys()].filter((id) => accepted.get(id)?.kind === 'repaired' && remains.dead.get(id) === 'failed');
    const ended = remains.unsettled.size + remains.locks.length + toRepair.length === 0;
    if (ended || systemClock.now() > until) return remains;
    for (const id of toRepair) {
      fix(folder, id);
      await admin.redrive(id);
    }
    await systemClock.wait(LOOK_EVERY_MS);
  }
}
