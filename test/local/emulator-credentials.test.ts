import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { useEmulatorCredentials } from '../../local/emulators/emulator-credentials.ts';

beforeEach(() => {
  vi.stubEnv('AWS_PROFILE', 'production');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDREAL');
  vi.stubEnv('AWS_SESSION_TOKEN', 'real');
  vi.stubEnv('AWS_REGION', undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const seen = () => [
  process.env['AWS_PROFILE'],
  process.env['AWS_ACCESS_KEY_ID'],
  process.env['AWS_SESSION_TOKEN'],
  process.env['AWS_REGION'],
];

test("an emulated run sees nothing of the user's profile, keys or session", () => {
  const release = useEmulatorCredentials();
  expect(seen()).toEqual([undefined, 'local', undefined, 'us-east-1']);
  release();
  expect(seen()).toEqual(['production', 'AKIDREAL', 'real', undefined]);
});

test('two regions in one process share the credentials until the last one has stopped', () => {
  const first = useEmulatorCredentials();
  const second = useEmulatorCredentials();
  first();
  first();
  expect(seen()).toEqual([undefined, 'local', undefined, 'us-east-1']);
  second();
  expect(seen()).toEqual(['production', 'AKIDREAL', 'real', undefined]);
});
