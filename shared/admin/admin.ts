import { checkJobId } from '../core/job-id.ts';
import type { Clock } from '../ports/clock.ts';
import type { Entropy } from '../ports/entropy.ts';
import type { HintSender } from '../ports/hints.ts';
import type { Journal } from '../ports/journal.ts';
import type { Tables } from '../ports/tables.ts';
import { blockedGroups, type BlockedGroups, type BlockedGroupsOptions } from './blocked-groups.ts';
import { redrive, type Redriven } from '../store/redrive.ts';
import { sendHints } from '../store/send-hints.ts';

/** What an operator can do. It works with the operator's own credentials: grant them with `grantOperate`. */
export interface Admin {
  /** Makes a dead letter ready again, with fresh counters; the answer says why not, if not. */
  redrive(id: string): Promise<Redriven['outcome']>;
  /** Exclusive groups that are held while jobs of them wait: by whom, since when, until when, and how many wait. A bounded scan of Jobs. */
  blockedGroups(options?: BlockedGroupsOptions): Promise<BlockedGroups>;
}

/** What the verbs of an operator work with. */
export interface AdminParts {
  readonly deployment: { readonly settings: { readonly redispatchAfterMs: number } };
  readonly tables: Tables;
  readonly hints: HintSender;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly entropy: Entropy;
}

/** The operator's verbs over their parts. */
export function createAdminOver(parts: AdminParts): Admin {
  return {
    blockedGroups: async (options) => blockedGroups(parts, options),
    async redrive(id) {
      const now = parts.clock.now();
      const { redispatchAfterMs } = parts.deployment.settings;
      const result = await redrive(parts.tables, checkJobId(id), { token: parts.entropy.token(), now, redispatchAfterMs });
      if (result.outcome === 'redriven') {
        parts.journal.record({ event: 'redriven', worker: result.job.worker });
        await sendHints(parts, [result.job], now);
      }
      return result.outcome;
    },
  };
}
