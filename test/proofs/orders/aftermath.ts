import type { PriorityScope, SuspensionScope } from '../../../shared/features/rules/model/rules.ts';
import type { ScriptedWorld } from '../exhaustive/scripted-world.ts';
import { decodeSchedule, isScheduleRow } from '../../../shared/features/schedules/store/schedule-rows.ts';
import type { Scene } from './scene.ts';

const MOST_OCCURRENCES = 10;
const AFTER_MS = 3 * 60_000;

/** Somebody takes back what stops jobs, and the world goes on without faults until nothing is left to be done; then the reckoning. */
export async function settle({ stage, frozen }: Scene): Promise<void> {
  for (const process of frozen) process.thaw('pause');
  await stage.pass(60_000);
  await lift(stage);
  await outlastSchedules(stage);
  await stage.close();
}

/** An occurrence that somebody cancelled lies nowhere, and its schedule goes on all the same when its time comes. */
async function outlastSchedules(stage: ScriptedWorld): Promise<void> {
  for (let look = 0; look < MOST_OCCURRENCES; look++) {
    const next = stage.world.store.tables
      .rows('control')
      .filter(isScheduleRow)
      .map((row) => decodeSchedule(row).next?.nominal ?? 0);
    const last = Math.max(0, ...next);
    if (last === 0) return;
    await stage.drain();
    await stage.pass(Math.max(0, last + AFTER_MS - stage.now));
    void stage.sandboxes.sweep();
    await stage.pass(AFTER_MS);
    void stage.acquire();
    await stage.pass(AFTER_MS);
  }
}

async function lift(stage: ScriptedWorld): Promise<void> {
  const { tables } = stage.world.store;
  const control = tables.rows('control');
  const paused = control.filter((row) => isScheduleRow(row) && row['pausedAt'] !== undefined);
  const ruled = control.some(({ pk }) => pk === 'rules');
  const held = tables.rows('suspended').filter(({ cause }) => cause === 'breakpoint');
  const open = control.filter(({ pk, sk, state }) => String(pk).startsWith('batch#') && sk === 'head' && state === 'open');
  if (paused.length + held.length + open.length === 0 && !ruled) return;
  await stage.asOperator(async (admin) => {
    for (const { scope } of ruled ? await admin.suspensions() : []) await admin.resume(scopeOf(scope));
    for (const { scope, default: isDefault } of ruled ? await admin.priorities() : [])
      await admin.clearPriority(scopeOf(scope) as PriorityScope, { default: isDefault });
    for (const { limit, set } of ruled ? await admin.limitNumbers() : []) if (set !== undefined) await admin.clearLimit(limit);
    for (const { id } of held) await admin.resumeJob(String(id));
    for (const { sk } of paused) await admin.schedules.resume(String(sk));
    for (const { pk } of open) await admin.sealBatch(String(pk).slice('batch#'.length));
  });
}

function scopeOf(text: string): SuspensionScope {
  const cut = text.indexOf('#');
  return cut === -1 ? 'all' : ({ [text.slice(0, cut)]: text.slice(cut + 1) } as SuspensionScope);
}
