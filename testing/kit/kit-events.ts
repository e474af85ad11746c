import { createEvents } from '../../shared/lambda/connect-events.ts';
import type { EventDeps } from '../../shared/lambda/connect-events.ts';
import { silentJournal } from '../../shared/adapters/observability/silent-journal.ts';
import type { Journal } from '../../shared/ports/journal.ts';
import type { TestKitOptions } from './kit-options.ts';

/** The journals of a kit: one for its functions, one for its client and admin, whose entries are not runs. */
export interface KitEvents {
  readonly functions: Journal;
  readonly outside: Journal;
  flush(): Promise<void>;
}

/** Events as in production, from both journals, if a test asks for them. */
export function kitEvents(deps: Omit<EventDeps, 'onEvent' | 'sinks'>, { onEvent }: TestKitOptions): KitEvents {
  const connect = createEvents();
  const functions = connect({ ...deps, onEvent });
  const outside = connect({ ...deps, journal: silentJournal, onEvent });
  return {
    functions: functions.journal,
    outside: outside.journal,
    flush: async () => {
      await Promise.all([functions.flush(), outside.flush()]);
    },
  };
}
