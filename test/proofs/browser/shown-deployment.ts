import type { Admin } from '../../../operate/index.ts';
import { fixedDeployment, NOW } from '../../console/fixed-deployment.ts';

const ago = (minutes: number): Date => new Date(NOW - minutes * 60_000);

/** The fixed deployment without its hostile texts, for pictures. */
export function shownDeployment(): Admin {
  const fixed = fixedDeployment();
  return fixedDeployment({
    errorGroups: async (options) => {
      const { groups, ...page } = await fixed.errorGroups(options);
      const messages = ['connect timed out after 3000 ms', 'order.lines is not iterable'];
      return { ...page, groups: groups.map((group, index) => ({ ...group, message: messages[index] ?? '' })) };
    },
    limits: async () => ({
      limits: [{ limit: 'payments-api', hash: 'a1b2', held: 5, n: 5, parked: 120, exact: true }],
      complete: true,
      readUnits: 1,
    }),
    limitNumbers: async () => [
      {
        limit: 'payments-api',
        n: 5,
        coded: 20,
        workers: ['default'],
        set: { n: 5, actor: 'anna', at: ago(30), reason: 'slow since noon' },
      },
    ],
    suspensions: async () => [
      { scope: 'type#webhook.deliver@default', reason: 'receiver is down', actor: 'anna', state: 'in-force', at: ago(30) },
      { scope: 'tenant#globex', reason: 'migration until noon', actor: 'ben', state: 'in-force', at: ago(10), until: ago(-120) },
    ],
    heartbeats: async () => {
      const [acquirer, sweeper] = await fixed.heartbeats();
      if (acquirer === undefined || sweeper === undefined) return [];
      return [acquirer, { ...sweeper, late: false, at: ago(0.5), report: { ...sweeper.report, seenAt: ago(0.5).toISOString() } }];
    },
  });
}
