import type { FaultSpec, FaultyCall } from './fault.ts';
import type { CommandResult } from './smithy-client.ts';

type Pass = (input: Readonly<Record<string, unknown>>) => Promise<CommandResult>;
type Picks = (index: number) => boolean;

interface SqsEntry {
  readonly Id: string;
}

/** Makes some entries of a batch fail without being applied, in a reply that is a success as a whole. */
export async function failInPart(
  call: FaultyCall,
  { entries, senderFault = false }: FaultSpec,
  random: () => number,
  pass: Pass,
): Promise<CommandResult> {
  const drawn = entries ?? (() => random() < 0.5);
  return call.operation.startsWith('Batch') ? leaveUnprocessed(call, drawn, pass) : failEntries(call, drawn, senderFault, pass);
}

/** The indexes that fail: at least one, the first when none was picked. */
function failing(size: number, picks: Picks, most = size): ReadonlySet<number> {
  const picked = Array.from({ length: size }, (_, index) => index).filter((index) => picks(index));
  return new Set((picked.length === 0 ? [0] : picked).slice(0, most));
}

async function failEntries({ input }: FaultyCall, picks: Picks, senderFault: boolean, pass: Pass): Promise<CommandResult> {
  const all = (input['Entries'] ?? []) as readonly SqsEntry[];
  const failed = failing(all.length, picks);
  const kept = all.filter((_, index) => !failed.has(index));
  const { output } = kept.length === 0 ? nothing({ Successful: [] }) : await pass({ ...input, Entries: kept });
  const Code = senderFault ? 'InvalidParameterValue' : 'InternalError';
  const errors = all.flatMap(({ Id }, index) => (failed.has(index) ? [{ Id, SenderFault: senderFault, Code }] : []));
  return { output: { ...output, Failed: [...((output['Failed'] as unknown[] | undefined) ?? []), ...errors] } };
}

type Requests = readonly unknown[] | { readonly Keys: readonly unknown[] };

async function leaveUnprocessed({ operation, input }: FaultyCall, picks: Picks, pass: Pass): Promise<CommandResult> {
  const tables = Object.entries((input['RequestItems'] ?? {}) as Record<string, Requests>);
  const size = tables.reduce((sum, [, requests]) => sum + listOf(requests).length, 0);
  const failed = failing(size, picks, size - 1);
  const only = (wanted: boolean): Record<string, Requests> => {
    let index = 0;
    const deps = tables.map(([name, requests]) => [name, withList(requests, (list) => list.filter(() => failed.has(index++) === wanted))]);
    return Object.fromEntries(deps.filter(([, requests]) => listOf(requests as Requests).length > 0)) as Record<string, Requests>;
  };
  const { output } = await pass({ ...input, RequestItems: only(false) });
  const left = operation === 'BatchGetItem' ? 'UnprocessedKeys' : 'UnprocessedItems';
  return { output: { ...output, [left]: joined(output[left] as Record<string, Requests> | undefined, only(true)) } };
}

const listOf = (requests: Requests): readonly unknown[] => ('Keys' in requests ? requests.Keys : requests);

function withList(requests: Requests, change: (list: readonly unknown[]) => readonly unknown[]): Requests {
  return 'Keys' in requests ? { ...requests, Keys: change(requests.Keys) } : change(requests);
}

/** What the service left and what the fault left. */
function joined(theirs: Readonly<Record<string, Requests>> = {}, ours: Readonly<Record<string, Requests>>): Record<string, Requests> {
  const all = { ...theirs };
  for (const [name, requests] of Object.entries(ours)) {
    const before = all[name];
    all[name] = before === undefined ? requests : withList(requests, (list) => [...listOf(before), ...list]);
  }
  return all;
}

/** A reply made here, because no entry was left to send. */
export function nothing(output: Record<string, unknown>): CommandResult {
  return { output: { $metadata: { httpStatusCode: 200, attempts: 1, totalRetryDelay: 0 }, ...output } };
}
