import { expect, it } from 'vitest';
import { createMemoryTables } from '../../../../shared/adapters/memory/tables.ts';
import { readEventSwitch, writeEventSwitch } from '../../../../shared/features/events/store/event-switch.ts';

const rules = (sk: string, log: boolean) => ({ op: 'put', table: 'control', row: { pk: 'rules', sk, log } }) as const;

it('the switch of events is read as operators left it, whatever other rules there are', async () => {
  const tables = createMemoryTables();
  for (const sk of ['a', 'eventsof', 'z']) await tables.write(rules(sk, false));
  expect(await readEventSwitch(tables)).toEqual({});
  expect(await writeEventSwitch(tables, { log: true }, 0)).toEqual({ log: true });
  expect(await writeEventSwitch(tables, { bus: false }, 0)).toEqual({ log: true, bus: false });
  expect(await readEventSwitch(tables)).toEqual({ log: true, bus: false });
});
