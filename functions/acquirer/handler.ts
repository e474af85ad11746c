import { existsSync, readFileSync } from 'node:fs';
import { DECLARED_SCHEDULES_FILE } from '../../shared/features/schedules/model/definition.ts';
import { createAcquirer } from './create-acquirer.ts';

/** In a file next to the bundle, because a function's environment holds only 4 KB. */
const declared = new URL(DECLARED_SCHEDULES_FILE, import.meta.url);

/** Entry point of the acquirer Lambda. */
export const handler: ReturnType<typeof createAcquirer> = createAcquirer({
  schedules: () => (existsSync(declared) ? (JSON.parse(readFileSync(declared, 'utf8')) as unknown) : []),
});
