import { InvalidInputError, kindOf } from '../job/errors.ts';
import { checkOptions } from '../job/names.ts';
import type { HintSource } from './hint-source.ts';
import type { Backlog, HintSender, Inbox } from './hints.ts';
import type { Tables } from './tables.ts';

/**
 * A store or a queue of one's own. What is left out is AWS's: DynamoDB for `tables`, SQS for `hints` and `source`. Test each first with its
 * contract of `nightcrew/testing`: `tablesContract`, `hintsContract` and `sourceContract`.
 */
export interface OwnPorts {
  /** In the place of DynamoDB. Its calls need time limits of its own. */
  readonly tables?: Tables;
  /** In the place of SQS. */
  readonly hints?: HintSender & Inbox & Backlog;
  /** Where `runWorker`, `external` and `createHttpApi` receive what `hints` sent; they need both or neither. The other calls do not use it. */
  readonly source?: HintSource;
}

/** The methods of each port. */
const METHODS: Readonly<Record<string, string>> = {
  tables: 'get write transact putAll query scan',
  hints: 'send postpone discard reject visible',
  source: 'receive acknowledge',
};

/** The given ports. Throws InvalidInputError for an unknown port, and for one that lacks a method; names both. */
export function checkPorts(ports: unknown): OwnPorts {
  if (ports === undefined) return {};
  checkOptions(ports, Object.keys(METHODS), 'ports');
  const given = Object.entries(ports as object) as (readonly [string, Readonly<Record<string, unknown>> | undefined])[];
  if (given.length === 0) throw new InvalidInputError('ports', ports, 'Give tables, hints or both, or leave ports out.');
  for (const [port, adapter] of given) {
    for (const method of METHODS[port]?.split(' ') ?? []) {
      if (typeof adapter?.[method] !== 'function') {
        throw new InvalidInputError(`ports.${port}.${method}`, kindOf(adapter?.[method]), `Give an adapter with this method.`);
      }
    }
  }
  return ports as OwnPorts;
}

/** As `checkPorts`, for a process that receives by itself: the queue that it sends to and the one that it receives from belong together. */
export function checkPollingPorts(ports: unknown): OwnPorts {
  const checked = checkPorts(ports);
  for (const [one, other] of [
    ['hints', 'source'],
    ['source', 'hints'],
  ] as const) {
    if (checked[one] !== undefined && checked[other] === undefined) {
      throw new InvalidInputError(`ports.${other}`, kindOf(undefined), `Give it too: ports.${one} is not of SQS.`);
    }
  }
  return checked;
}
