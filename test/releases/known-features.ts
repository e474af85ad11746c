import { anyPayload } from '../support/rig.ts';
import type { KeptRelease } from './kept-release.ts';
import { typesOf } from './shared-deployment.ts';

/** A test of what only today's code writes is over once the kept release knows it, too. */
export function knowsExpiry(release: KeptRelease): boolean {
  return takes(() => release.load().defineJob('expiring', { payload: anyPayload, startWithin: 'P2D' }));
}

export function knowsExclusions(release: KeptRelease): boolean {
  const code = release.load();
  const job = typesOf(code).plain;
  return takes(() => code.defineSchedule('daily', { job, payload: {}, cron: '0 0 * * *', exclude: ['2026-01-01'] }));
}

function takes(define: () => unknown): boolean {
  try {
    define();
    return true;
  } catch {
    return false;
  }
}
