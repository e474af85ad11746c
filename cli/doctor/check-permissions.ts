import type { Check, Finding } from './check.ts';

const FIX =
  'Deploy the stack again. If its policy allows the action, look at what else restricts the role: a permissions boundary, a service control policy, the policy of a VPC endpoint.';

/** The functions and workers report what their roles lacked last. One whose role may not write to Control reports nothing: its log says it. */
export const permissionsCheck: Check = {
  name: 'permissions',
  run: async ({ admin }) => {
    const [workers, heartbeats] = await Promise.all([admin.workers(), admin.heartbeats()]);
    const ofWorkers = workers.flatMap(({ worker, fresh, lastSeen, missingPermission }) =>
      fresh ? lacking(`worker ${worker}`, lastSeen, missingPermission) : [],
    );
    return [
      ...ofWorkers,
      ...heartbeats.flatMap(({ who, at, late, report }) => (late ? [] : lacking(who, at, report['missingPermission']))),
    ];
  },
};

function lacking(subject: string, at: Date, what: unknown): readonly Finding[] {
  if (typeof what !== 'string') return [];
  const says = `its role lacks ${what}, as of ${at.toISOString()}: what needs it is given back and tried again`;
  return [{ check: 'permission', subject, status: 'failed', says, fix: FIX }];
}
