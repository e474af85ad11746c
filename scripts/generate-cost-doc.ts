/** `docs/operate/costs.md`, computed from the counts and the price table of `nightcrew cost`; a test fails when they differ. */
import { ASSUMPTIONS } from '../cli/cost/assumptions.ts';
import { type BillLine, dollars, total, withFreeTiers } from '../cli/cost/bill.ts';
import { idleLines } from '../cli/cost/idle-lines.ts';
import { type OneLaneChoices, oneLane } from '../cli/cost/idle-parts.ts';
import { jobLines } from '../cli/cost/job-lines.ts';
import { countText, moneyText, priceText } from '../cli/cost/money.ts';
import { type Peer, peers } from '../cli/cost/peers.ts';
import { type Price, PRICE_TABLE, PRICES, type PriceName } from '../cli/cost/prices.ts';
import { JOB_COUNTS } from '../cli/cost/unit-counts.ts';
import { EMPTY_WORKLOAD, type Workload } from '../cli/cost/workload.ts';
import { withSection } from './generated-section.ts';

const WORK = { jobs: 10_000_000, timers: 1_000_000 };
const UNWATCHED: OneLaneChoices = { alarms: false, dashboard: false };
const BARE: OneLaneChoices = { ...UNWATCHED, metrics: false, tracing: false };

const month = (choices: OneLaneChoices, work: Partial<Workload> = {}): readonly BillLine[] => {
  const parts = oneLane(choices);
  return [...jobLines({ ...EMPTY_WORKLOAD, ...work }, parts), ...idleLines(parts)];
};
const sumOf = (choices: OneLaneChoices, work: Partial<Workload> = {}): string => moneyText(total(month(choices, work)));

/** The page about costs, with the parts that counts and prices give. Throws if their comments are gone. */
export function costDoc(page: string): string {
  return withSection({ page: withSection({ page, name: 'million', text: millionSection() }), name: 'costs', text: monthText() });
}

const MILLION = 1_000_000;

/** Each line counts what it names and nothing else. */
function millionSection(): string {
  const writes = (each: number): number => dollars('writeUnit', each * MILLION);
  const requests = (each: number): number => dollars('standardRequest', each * MILLION);
  const lambda = total(month(BARE, { jobs: MILLION }).filter(({ what }) => LAMBDA.includes(what)));
  const kept = total(month(BARE, { timers: MILLION, history: 'off' }).filter(({ price }) => price === 'tableStorage'));
  const { plain, farTimer, failedAttempt, sqsRequestsPerJob: batched } = JOB_COUNTS;
  const [unit, request] = [`$${PRICES.writeUnit.usd}`, moneyText(PRICES.standardRequest.usd)];
  const single = moneyText(lambda);
  // A message that is sent by itself, received and deleted with nine others.
  const alone = 1 + (batched * 2) / 3;
  const plainUsd = writes(plain) + requests(batched) + lambda;
  const arithmetic = `${plain} x ${unit} + ${batched} requests x ${request} + ${single}`;
  const rows: readonly (readonly [string, string, string])[] = [
    ['plain, enqueued in batches of ten, no history', arithmetic, `**${moneyText(plainUsd)}**`],
    ['with history (the default)', '+ 1 write', moneyText(plainUsd + writes(1))],
    ['enqueued one by one', `+ ${1 - batched / 3} requests x ${request}`, `+ ${moneyText(requests(1 - batched / 3))}`],
    ['delayed by up to 15 minutes (`delayHorizon`), no history', 'no timer row: as a plain job', moneyText(plainUsd)],
    [
      'timer due later, its message sent by itself, no history',
      `${farTimer} x ${unit} + ${alone} requests x ${request} + ${single}, and ${moneyText(kept)} for a month in the table`,
      moneyText(writes(farTimer) + requests(alone) + lambda + kept),
    ],
    [
      'each failed attempt',
      `${failedAttempt} x ${unit} + ${alone} requests x ${request} + ${single}`,
      `+ ${moneyText(writes(failedAttempt) + requests(alone) + lambda)}`,
    ],
  ];
  return `| per million jobs | arithmetic | |\n|---|---|---|\n${rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}`;
}

const LAMBDA: readonly string[] = ['invocations of executors', 'run time of executors'];

function monthText(): string {
  return [intro(), idleSection(), monthSection(), leverSection(), peerSection(), assumedSection(), priceSection()].join('\n').trimEnd();
}

function intro(): string {
  return `## What a month costs

Generated from the counts and the price table in \`cli/cost/\`; do not edit. List prices of ${PRICE_TABLE.region}, collected on ${PRICE_TABLE.asOf}; a month has ${PRICE_TABLE.monthDays} days; free tiers are not counted.

\`\`\`sh
nightcrew cost --jobs 10M --timers 1M                                # this page, for your own figures
nightcrew cost --jobs 10M --template cdk.out/<stack>.template.json   # and for the stack that you deploy
nightcrew cost --jobs 10M --also failed-attempt=200k --also group=1M
nightcrew cost compare --jobs 10M --timers 1M                        # what others charge
nightcrew cost prices                                                # every price with its source
\`\`\`

\`--free-tier\` subtracts the free tiers, \`--json\` prints every line unrounded. The command needs no credentials and no network.
`;
}

function idleSection(): string {
  return `## A stack that waits

| one worker, one lane, nothing to do | a month |
| --- | ---: |
| without alarms and dashboard | **${sumOf(UNWATCHED)}** |
| with a dashboard | ${sumOf({ alarms: false })} |
| with alarms | ${sumOf({ dashboard: false })} |
| with all that a deployment has by default | ${sumOf({})} |
| the same with a FIFO queue for groups, as the order service of the example | ${sumOf({ fifo: true })} |
| the same where nothing else uses the account's free tiers | ${moneyText(total(withFreeTiers(month({ fifo: true }))))} |

Waiting itself costs less than a dollar; monitoring costs the rest. The four metrics that show that acquirer and sweeper are alive cost ${moneyText(4 * PRICES.ownMetric.usd)}; they are published only if alarms, a dashboard or a metric that your stack uses reads them (\`metrics: 'off'\` leaves them out in any case; the heartbeat alarms then count invocations). Ticks are not traced: tracing each would cost ${moneyText((86_400 * PRICES.trace.usd) / PRICES.trace.per)} (\`tracing: Tracing.ACTIVE\`). An alarm on metric math is charged for each metric that it reads.

The last but one, item by item, as its synthesized template says:

${billTable(month({ fifo: true }))}

Tables, queues, log groups, roles and schedules cost nothing while nothing is stored, sent or started. A customer-managed key is ${moneyText(PRICES.key.usd)}, an SQS queue more (a lane) ${moneyText(0.648 * PRICES.standardRequest.usd)}.
`;
}

function monthSection(): string {
  return `## Ten million jobs and a million timers

Jobs below 1 KB, enqueued and run in tens, timers waiting for 30 days, history kept for 3 days, all that a deployment has by default. The run time of your handlers comes on top (\`--handler-ms\`).

${billTable(month({}, WORK))}

Traces grow with the jobs until there is one batch a second, then by a twentieth. Where jobs come in bursts, fewer are recorded.
`;
}

function leverSection(): string {
  const rows: readonly (readonly [string, string])[] = [
    ['as above', sumOf({}, WORK)],
    ['without history', sumOf({}, { ...WORK, history: 'off' })],
    ["history `'durable'`", sumOf({}, { ...WORK, history: 'durable' })],
    ['jobs that come one by one (`--per-send 1 --per-batch 1`)', sumOf({}, { ...WORK, perSend: 1, perBatch: 1 })],
    ['the same without X-Ray', sumOf({ tracing: false }, { ...WORK, perSend: 1, perBatch: 1 })],
    ['jobs of 4 KB', sumOf({}, { ...WORK, itemKb: 4 })],
    ['a backlog of 10,000 jobs all the time', sumOf({}, { ...WORK, backlog: 10_000 })],
    ['each with a unique key', sumOf({}, { ...WORK, also: new Map([['unique-key', 11_000_000]]) })],
    ['without alarms, dashboard, own metrics and X-Ray', sumOf(BARE, WORK)],
    ['the same, without history', sumOf(BARE, { ...WORK, history: 'off' })],
  ];
  return `### What changes it\n\n| | a month |\n| --- | ---: |\n${rows.map(([what, usd]) => `| ${what} | ${usd} |`).join('\n')}\n`;
}

function peerSection(): string {
  const all = peers(WORK);
  const lines = month({}, WORK);
  const own = [
    [
      '**Nightcrew**',
      moneyText(total(lines.filter(({ part }) => part !== 'watching'))),
      'as above, jobs and stack',
      'records, history for 3 days, exactly-once completion, timers to about a second; a retry, a group, a key or a limit writes more; no run time of handlers',
    ],
    ['**Nightcrew**, watched', moneyText(total(lines)), 'and metrics, alarms, traces, dashboard', 'the same'],
  ];
  const others = all.map(({ name, usd, how, includes, prices }) => [`${name} ${marks(all, prices)}`, moneyText(usd), how, includes]);
  const rows = [...own, ...others].map((cells) => `| ${cells.join(' | ')} |`);
  return `## The same work elsewhere

Ten million jobs of one step and a million that wait for 30 days first, no retries, payloads below 1 KB, list prices without free tiers. The run time of handlers is left out where it is billed separately. Where a price depends on use, the cheaper use is assumed. Some are cheaper because they do less: a bare queue keeps no record of a job. Some do more: they keep state between the steps of one flow.

| where | a month | counted | what that includes |
| --- | ---: | --- | --- |
${rows.join('\n')}

${footnotes(all)}
`;
}

/** The sources of others' prices, numbered in the order in which they are met. */
function sourcesOf(all: readonly Peer[]): readonly string[] {
  return [...new Set(all.flatMap(({ prices }) => prices).map((name) => sourceText(PRICES[name])))];
}

function marks(all: readonly Peer[], prices: readonly PriceName[]): string {
  const sources = sourcesOf(all);
  return [...new Set(prices.map((name) => sources.indexOf(sourceText(PRICES[name])) + 1))].map((number) => `[${number}]`).join('');
}

function footnotes(all: readonly Peer[]): string {
  return sourcesOf(all)
    .map((text, index) => `[${index + 1}] ${text}  `)
    .join('\n')
    .trimEnd();
}

function sourceText({ source, seen, basis }: Price): string {
  return `${source}, ${seen}, ${basis}`;
}

function assumedSection(): string {
  return `## What is assumed

Writes, reads of ticks and requests are counted by tests. The rest is assumed, and the totals stand and fall with it:

${ASSUMPTIONS.map((one) => `- ${one}.`).join('\n')}

Not counted: handlers' run time and logs, data that leaves the Region, what you read by console and command line, the sweeper's longer runs under a backlog, retries unless \`--also failed-attempt=<count>\` says how many, support and taxes.
`;
}

function priceSection(): string {
  const table: readonly Price[] = Object.values(PRICES);
  const rows = table.map((price) => `| ${price.unit} | ${priceText(price)} | ${price.seen} | ${price.basis} | ${price.source} |`);
  return `## The prices

\`read\`: on that page; \`quoted\`: by pages that cite it, so check before you rely on it.

| unit | price | seen | basis | source |
| --- | --- | --- | --- | --- |
${rows.join('\n')}
`;
}

function billTable(lines: readonly BillLine[]): string {
  const rows = lines.map(
    ({ what, price, amount, usd }) =>
      `| ${what} | ${countText(amount)} | ${PRICES[price].unit} | ${priceText(PRICES[price])} | ${moneyText(usd)} |`,
  );
  return [
    '| item | count | unit | price | a month |',
    '| --- | --- | --- | --- | ---: |',
    ...rows,
    `| **total** | | | | **${moneyText(total(lines))}** |`,
  ].join('\n');
}
