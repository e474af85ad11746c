import { createDynamoClient } from '../../../shared/adapters/dynamodb/client.ts';
import type { DynamoDeps } from '../../../shared/adapters/dynamodb/caller.ts';
import { createDynamoTables } from '../../../shared/adapters/dynamodb/tables.ts';
import { seededEntropy } from '../../../shared/adapters/memory/seeded-entropy.ts';
import { TABLE_NAMES } from '../../../shared/ports/table-spec.ts';
import type { TableName, Tables } from '../../../shared/ports/tables.ts';
import { EMULATOR_ACCESS } from '../../support/emulator-access.ts';
import { JumpingClock } from '../../support/jumping-clock.ts';
import { type ScriptedHandler, scriptedHandler, type Step } from '../../support/scripted-handler.ts';

/** The DynamoDB adapter over a real SDK client whose network plays a script. */
export interface ScriptedTables extends ScriptedHandler {
  readonly tables: Tables;
  readonly clock: JumpingClock;
}

export function scriptedTables(steps: readonly Step[], deps: Partial<DynamoDeps> = {}): ScriptedTables {
  const handler = scriptedHandler(...steps);
  const clock = new JumpingClock();
  const tables = createDynamoTables({
    client: createDynamoClient({ ...EMULATOR_ACCESS, requestHandler: handler }),
    names: Object.fromEntries(TABLE_NAMES.map((name) => [name, `t-${name}`])) as Record<TableName, string>,
    clock,
    entropy: seededEntropy(1),
    ...deps,
  });
  return { ...handler, tables, clock };
}
