import type { Check } from './check.ts';

/** The command line knows every setting of the deployment. */
export const settingsCheck: Check = {
  name: 'settings',
  run: async ({ deployment: { unknownSettings = [] } }) =>
    unknownSettings.map((name) => ({
      check: 'setting',
      subject: name,
      status: 'warning' as const,
      says: 'is not known to this version of the command line, which ignores it',
      fix: 'Use the version of nightcrew that deployed the stack.',
    })),
};
