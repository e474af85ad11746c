/** What a month costs beside others, in the README between two comments; a test fails when it is stale. */
import { total } from '../cli/cost/bill.ts';
import { idleLines } from '../cli/cost/idle-lines.ts';
import { type OneLaneChoices, oneLane } from '../cli/cost/idle-parts.ts';
import { jobLines } from '../cli/cost/job-lines.ts';
import { moneyText } from '../cli/cost/money.ts';
import { type Peer, peers } from '../cli/cost/peers.ts';
import { PRICE_TABLE, PRICES } from '../cli/cost/prices.ts';
import { EMPTY_WORKLOAD } from '../cli/cost/workload.ts';
import { withSection } from './generated-section.ts';

const WORK = { jobs: 10_000_000, timers: 1_000_000 };
const UNWATCHED: OneLaneChoices = { alarms: false, dashboard: false };

/** Those that the README compares with; docs/operate/costs.md has all of them. */
const SHOWN: readonly string[] = [
  'EventBridge Scheduler + SQS + Lambda',
  'the same with a row for each job that you write yourself',
  'Step Functions Standard',
  'Lambda durable functions',
  'QStash',
  'Trigger.dev',
  'Inngest',
  'Temporal Cloud',
];

/** The README with its section about a month as counts and prices say it. Throws when the comments are not there. */
export function readmeWithCost(readme: string): string {
  return withSection({ page: readme, name: 'month', text: section() });
}

function section(): string {
  const stack = oneLane();
  const lines = [...jobLines({ ...EMPTY_WORKLOAD, ...WORK }, stack), ...idleLines(stack)];
  const own = total(lines.filter(({ part }) => part !== 'watching'));
  return `A stack with one lane that waits costs ${moneyText(total(idleLines(oneLane(UNWATCHED))))} a month without alarms and dashboard (polling its queue, ticks, looks at shards and lists), ${moneyText(total(idleLines(stack)))} with
both. Ten million jobs and a million timers in a month, here and elsewhere, at list prices of ${PRICE_TABLE.region} without free tiers:

| where | a month | includes | prices |
|---|---:|---|---|
| **Nightcrew** | **${moneyText(own)}** | records, retries, dead letters, history for 3 days, timers to the second, groups, limits, tenants | ${PRICE_TABLE.asOf}, [each with its source](docs/operate/costs.md#the-prices) |
| **Nightcrew**, watched | ${moneyText(total(lines))} | and alarms, dashboard, metrics, traces | the same |
${shown().map(row).join('\n')}

The run time of handlers is left out where it is paid apart, and where a price depends on use, the cheaper use is taken. Below us are a bare queue,
which keeps no record of a job, and a queue with three plain writes around it: no history, and retries, groups, limits and exact timers are your own
code. [What a month costs](docs/operate/costs.md) has each sum item by item; \`npx --no -- nightcrew cost --jobs 10M --timers 1M\`
computes it for your figures, \`--template\` for your stack.`;
}

function shown(): readonly Peer[] {
  const all = new Map(peers(WORK).map((peer) => [peer.name, peer]));
  return SHOWN.map((name) => {
    const peer = all.get(name);
    if (peer === undefined) throw new Error(`${name} is not compared with.`);
    return peer;
  });
}

function row({ name, usd, includes, prices }: Peer): string {
  return `| ${name} | ${moneyText(usd)} | ${includes} | ${sources(prices)} |`;
}

/** Each page once, with the month in which it was looked at. */
function sources(prices: Peer['prices']): string {
  const texts = prices.map((name) => {
    const { source, seen, basis } = PRICES[name];
    return `[${new URL(source).hostname.replace(/^www\./, '')}](${source}), ${seen}${basis === 'read' ? '' : `, ${basis}`}`;
  });
  return [...new Set(texts)].join('; ');
}
