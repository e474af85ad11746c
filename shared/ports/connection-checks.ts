import { InvalidInputError } from '../job/errors.ts';
import { checkFunction, listOf, type OptionChecks, withMethods } from '../job/option-checks.ts';
import type { EventSink, OnEvent } from './event-sink.ts';
import type { Journal } from './journal.ts';
import { checkPorts, type OwnPorts } from './own-ports.ts';

/** Options by which clients, operators and functions are connected to a deployment. */
export interface ConnectionOptions {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly journal?: Journal;
  readonly onEvent?: OnEvent;
  readonly eventSinks?: readonly EventSink[];
  readonly ports?: OwnPorts;
}

/** Their checks. */
export const CONNECTION_CHECKS: OptionChecks<ConnectionOptions> = {
  environment: (field, value) => {
    if (typeof value !== 'object' || value === null) throw new InvalidInputError(field, value, 'Give an object of variables by name.');
  },
  journal: withMethods(['record', 'gauge', 'flush'], 'Give a Journal, or leave it out.'),
  onEvent: checkFunction,
  eventSinks: listOf(withMethods(['put'], 'Give an EventSink, such as createEventBridgeSink({ bus }).')),
  ports: (_field, value) => void checkPorts(value),
};
