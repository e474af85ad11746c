import type { FuzzTarget } from './fuzz-target.ts';
import { cancelsTarget } from './targets/cancels.ts';
import { commandLine } from './targets/command-line.ts';
import { controlRows } from './targets/control-rows.ts';
import { environment } from './targets/environment.ts';
import { messages } from './targets/messages.ts';
import { optionsTarget } from './targets/options.ts';
import { orderRequests } from './targets/order-requests.ts';
import { outcomes } from './targets/outcomes.ts';
import { payloads } from './targets/payloads.ts';
import { rows } from './targets/rows.ts';
import { storedPayloads } from './targets/stored-payloads.ts';
import { texts } from './targets/texts.ts';
import { webhooks } from './targets/webhooks.ts';

/** Everything that takes input from outside. A parser that is added (cron, a CLI, the console's HTTP) is added here. */
export const TARGETS: readonly FuzzTarget[] = [
  payloads,
  storedPayloads,
  texts,
  outcomes,
  messages,
  rows,
  controlRows,
  optionsTarget,
  cancelsTarget,
  environment,
  commandLine,
  orderRequests,
  webhooks,
];
