import { iso } from '../../../job/instant.ts';
import type { RowKey, Tables } from '../../../ports/tables.ts';

/** The operators' switch: sinks by name. Others are as deployed. */
export type EventSwitch = Readonly<Record<string, boolean>>;

const SINKS = ['log', 'bus'] as const;
const KEY: RowKey = { pk: 'rules', sk: 'events' };

/** Whether the switch is about a sink of this name. */
export const isSwitched = (sink: string): boolean => (SINKS as readonly string[]).includes(sink);

/** Reads the switch, eventually consistent: half a read unit. */
export async function readEventSwitch(tables: Tables): Promise<EventSwitch> {
  const { rows } = await tables.query({ table: 'control', partition: 'rules', from: 'events', through: 'events', limit: 1 });
  return Object.fromEntries(SINKS.flatMap((sink) => (typeof rows[0]?.[sink] === 'boolean' ? [[sink, rows[0][sink]]] : [])));
}

/** Switches sinks on or off; those that are not named stay as they are. */
export async function writeEventSwitch(tables: Tables, change: EventSwitch, now: number): Promise<EventSwitch> {
  const written = await tables.write({ op: 'update', table: 'control', key: KEY, set: { ...change, at: iso(now) } });
  return Object.fromEntries(SINKS.flatMap((sink) => (typeof written.row?.[sink] === 'boolean' ? [[sink, written.row[sink]]] : [])));
}
