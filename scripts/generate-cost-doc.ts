/** The parts of docs/operate/costs.md and of the README that counts and prices give; a test fails if they are stale. */
import { ASSUMPTIONS, type BillLine, dollars, IDLE, monthLines, total, type Work } from '../cli/cost/month.ts';
import { type Price, PRICE_TABLE, PRICES } from '../cli/cost/prices.ts';
import { JOB_COUNTS } from '../cli/cost/unit-counts.ts';
import { countText, moneyText, priceText } from '../cli/text/money.ts';
import { withSection } from './generated-section.ts';

const MILLION = 1_000_000;
const MONTH: Work = { ...IDLE, jobs: 10 * MILLION, timers: MILLION };
const sumOf = (work: Work): string => moneyText(total(monthLines(work)));

/** The page about costs. Throws if its comments are gone. */
export function costDoc(page: string): string {
  return withSection({ page: withSection({ page, name: 'million', text: millionSection() }), name: 'costs', text: monthSections() });
}

/** The README with what a month costs. Throws if its comments are gone. */
export function readmeWithCost(readme: string): string {
  const bare = { monitoring: false };
  return withSection({
    page: readme,
    name: 'month',
    text: `At list prices of ${PRICE_TABLE.region}, without free tiers, an idle stack with one worker and one lane costs
${sumOf({ ...IDLE, ...bare })} a month, ${sumOf(IDLE)} with metrics, alarms and dashboard. Ten million plain jobs and a million timers, of 1 KB,
in batches of ten and with history, make it ${sumOf({ ...MONTH, ...bare })}, ${sumOf(MONTH)} with metrics, alarms, traces and dashboard, without
the run time of handlers. [Costs](docs/operate/costs.md) has the sums item by item, and what they assume;
\`npx --no -- nightcrew cost --jobs 10M --timers 1M\` computes them for your numbers.`,
  });
}

/** Each line counts what it names and nothing else. */
function millionSection(): string {
  const writes = (each: number): number => dollars('writeUnit', each * MILLION);
  const requests = (each: number): number => dollars('standardRequest', each * MILLION);
  const some = (work: Partial<Work>, is: (line: BillLine) => boolean): number => total(monthLines({ ...IDLE, ...work }).filter(is));
  const lambda = some({ jobs: MILLION }, ({ what }) => ['invocations of executors', 'run time of executors'].includes(what));
  const kept = some({ timers: MILLION, history: 'off' }, ({ price }) => price === 'tableStorage');
  const { plain, farTimer, failedAttempt, sqsRequestsPerJob: batched } = JOB_COUNTS;
  const [unit, request, single] = [`$${PRICES.writeUnit.usd}`, moneyText(PRICES.standardRequest.usd), moneyText(lambda)];
  // A message that is sent by itself, received and deleted with nine others.
  const alone = 1 + (batched * 2) / 3;
  const plainUsd = writes(plain) + requests(batched) + lambda;
  return table(
    ['per million jobs', 'arithmetic', ''],
    [
      [
        'plain, enqueued in batches of ten, no history',
        `${plain} x ${unit} + ${batched} requests x ${request} + ${single}`,
        `**${moneyText(plainUsd)}**`,
      ],
      ['with history (the default)', '+ 1 write', moneyText(plainUsd + writes(1))],
      ['enqueued one by one', `+ ${1 - batched / 3} requests x ${request}`, `+ ${moneyText(requests(1 - batched / 3))}`],
      ['enqueued as a plain one, delayed by up to 15 minutes, no history', 'no timer row: as a plain job', moneyText(plainUsd)],
      [
        'timer due later, its message sent by itself, no history',
        `${farTimer} x ${unit} + ${alone} requests x ${request} + ${single}, and ${moneyText(kept)} for a month in the table`,
        moneyText(writes(farTimer) + requests(alone) + lambda + kept),
      ],
      [
        'each failed attempt, retried within 15 minutes',
        `${failedAttempt} x ${unit} + ${alone} requests x ${request} + ${single}`,
        `+ ${moneyText(writes(failedAttempt) + requests(alone) + lambda)}`,
      ],
    ],
  );
}

function monthSections(): string {
  return `## What a month costs

Generated from the counts and prices in \`cli/cost/\`; do not edit. List prices of ${PRICE_TABLE.region}, collected on ${PRICE_TABLE.asOf}; free tiers are not counted. \`nightcrew cost\` computes the same for your figures, without credentials or network; \`--json\` prints every line unrounded.

${billTable([
  ['One worker with one lane and nothing to do', monthLines(IDLE)],
  ['The same with ten million jobs and a million timers', monthLines(MONTH)],
])}

A further queue (a lane) is polled for ${moneyText(0.648 * PRICES.standardRequest.usd)}, a FIFO queue for ${moneyText(0.648 * PRICES.fifoRequest.usd)}.
With \`alarms: false\` and \`dashboard: false\`, the metrics of acquirer and sweeper are published only if you set \`metrics\`. Ticks are traced only if you set \`tracing\`.

## What changes it

${table(
  ['ten million jobs and a million timers', 'a month'],
  [
    ['as above', sumOf(MONTH)],
    ['without history', sumOf({ ...MONTH, history: 'off' })],
    ["history `'durable'`", sumOf({ ...MONTH, history: 'durable' })],
    ['jobs that come one by one (`--per-batch 1`)', sumOf({ ...MONTH, perBatch: 1 })],
    ['jobs of 4 KB', sumOf({ ...MONTH, itemKb: 4 })],
    ['without metrics, alarms, traces and dashboard', sumOf({ ...MONTH, monitoring: false })],
  ],
)}

## What is assumed

Tests count the writes of a job and the reads and writes of a tick. The rest is assumed:

${ASSUMPTIONS.map((one) => `- ${one}.`).join('\n')}

Not counted, among others: features of a job that add writes, handlers' run time and logs, failed attempts, a backlog that the sweeper reads, keys of your own, data that leaves the Region, what operators read, support and taxes.

## The prices

\`read\`: on that page; \`quoted\`: by pages that cite it, so check before you rely on it.

${table(
  ['unit', 'price', 'seen', 'basis', 'source'],
  Object.values<Price>(PRICES).map((price) => [price.unit, priceText(price), price.seen, price.basis, price.source]),
)}`;
}

function billTable(bills: readonly (readonly [string, readonly BillLine[]])[]): string {
  return bills
    .map(([title, lines]) => {
      const rows = lines.map(({ what, price, amount, usd }) => [what, `${countText(amount)} ${PRICES[price].unit}`, moneyText(usd)]);
      return `### ${title}\n\n${table(['item', 'count', 'a month'], [...rows, ['**total**', '', `**${moneyText(total(lines))}**`]])}`;
    })
    .join('\n\n');
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
