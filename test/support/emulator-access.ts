/** Region and keys that no AWS account takes. */
export const EMULATOR_ACCESS = { region: 'us-east-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } } as const;
