/** The monthly cost compared with alternatives, in the README between two comments; a test fails if it is stale. */
import { total } from '../cli/cost/bill.ts';
import { idleLines } from '../cli/cost/idle-lines.ts';
import { type OneLaneChoices, oneLane } from '../cli/cost/idle-parts.ts';
import { jobLines } from '../cli/cost/job-lines.ts';
import { moneyText } from '../cli/cost/money.ts';
import { type Peer, peers } from '../cli/cost/peers.ts';
import { PRICE_TABLE } from '../cli/cost/prices.ts';
import { EMPTY_WORKLOAD } from '../cli/cost/workload.ts';
import { withSection } from './generated-section.ts';

const WORK = { jobs: 10_000_000, timers: 1_000_000 };
const UNWATCHED: OneLaneChoices = { alarms: false, dashboard: false };

/** Those that the README compares with; docs/operate/costs.md has all of them. */
const SHOWN: readonly string[] = ['EventBridge Scheduler + SQS + Lambda', 'Step Functions Standard', 'Temporal Cloud'];

/** The README with its cost section generated from counts and prices. Throws if the comments are missing. */
export function readmeWithCost(readme: string): string {
  return withSection({ page: readme, name: 'month', text: section() });
}

function section(): string {
  const stack = oneLane();
  const lines = [...jobLines({ ...EMPTY_WORKLOAD, ...WORK }, stack), ...idleLines(stack)];
  const own = total(lines.filter(({ part }) => part !== 'watching'));
  return `At list prices of ${PRICE_TABLE.region}, without free tiers, an idle stack costs ${moneyText(total(idleLines(oneLane(UNWATCHED))))} a month, ${moneyText(total(idleLines(stack)))} with alarms and dashboard. Ten million plain jobs and a million timers, without monitoring:

| where | a month | what that includes |
|---|---:|---|
| **Nightcrew** | **${moneyText(own)}** | records, history for 3 days, exactly-once completion, timers to about a second; a retry, a group, a key or a limit writes more; no run time of handlers |
${shown().map(row).join('\n')}

[Costs](docs/operate/costs.md) has each sum item by item and more services; \`npx --no -- nightcrew cost --jobs 10M --timers 1M\` computes it for your figures.`;
}

function shown(): readonly Peer[] {
  const all = new Map(peers(WORK).map((peer) => [peer.name, peer]));
  return SHOWN.map((name) => {
    const peer = all.get(name);
    if (peer === undefined) throw new Error(`${name} is not compared with.`);
    return peer;
  });
}

function row({ name, usd, includes }: Peer): string {
  return `| ${name} | ${moneyText(usd)} | ${includes} |`;
}
