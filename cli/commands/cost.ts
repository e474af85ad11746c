import { workloadOf, WORKLOAD_FLAGS, WORK_FLAGS, amountFlag } from '../cost/workload-flags.ts';
import { partsOf, STACK_FLAGS } from '../cost/stack-flags.ts';
import { ASSUMPTIONS } from '../cost/assumptions.ts';
import { type BillLine, total, withFreeTiers } from '../cost/bill.ts';
import { idleLines } from '../cost/idle-lines.ts';
import { jobLines } from '../cost/job-lines.ts';
import { countText, moneyText, priceText } from '../cost/money.ts';
import { peers } from '../cost/peers.ts';
import { type Price, PRICE_TABLE, PRICES } from '../cost/prices.ts';
import { oneLane } from '../cost/idle-parts.ts';
import { EMPTY_WORKLOAD } from '../cost/workload.ts';
import type { Call } from '../call.ts';
import { EXIT } from '../exit.ts';
import { verbCommand } from '../verb-command.ts';

const PART_NAMES: Readonly<Record<BillLine['part'], string>> = {
  jobs: 'the jobs',
  idle: 'the stack, even without jobs',
  watching: 'watching it: metrics, alarms, traces, dashboard',
};

const AS_OF = `List prices of ${PRICE_TABLE.region}, ${PRICE_TABLE.asOf}; nightcrew cost prices names their sources.`;

/** `nightcrew cost`: what a month costs, from measured counts and a dated price table. It makes no requests. */
export const costCommand = verbCommand('cost', 'the cost of a month, and of the same work with other services', [
  {
    name: 'month',
    byDefault: true,
    summary: 'the cost of a month, item by item, at list prices without free tiers',
    apart: true,
    flags: [
      ...WORKLOAD_FLAGS,
      ...STACK_FLAGS,
      { flags: '--free-tier', doc: 'subtracts the free tiers, as if the account used them for nothing else' },
    ],
    more: 'A stack that runs nothing: nightcrew cost\nYour own: nightcrew cost --jobs 10M --template cdk.out/<stack>.template.json',
    run: month,
  },
  {
    name: 'compare',
    summary: 'the same work with other services, at list prices without free tiers',
    apart: true,
    flags: WORK_FLAGS,
    run: compare,
  },
  { name: 'prices', summary: 'every price with its source and the date it was checked', apart: true, run: prices },
]);

async function month(call: Call): Promise<number> {
  const { show } = call;
  const [work, parts] = [workloadOf(call), await partsOf(call)];
  const listed = [...jobLines(work, parts), ...idleLines(parts)];
  const lines = call.on('freeTier') ? withFreeTiers(listed) : listed;
  const sum = total(lines);
  const runs = work.jobs + work.timers;
  if (show.json) {
    const { also, ...rest } = work;
    const perMillion = runs === 0 ? {} : { perMillionUsd: (sum / runs) * 1e6 };
    show.data({ ...PRICE_TABLE, work: { ...rest, also: Object.fromEntries(also) }, stack: parts, lines, totalUsd: sum, ...perMillion });
    return EXIT.done;
  }
  for (const part of ['jobs', 'idle', 'watching'] as const)
    tellPart(
      call,
      part,
      lines.filter((line) => line.part === part),
    );
  show.line(show.paint('head', `Total: ${moneyText(sum)} a month${runs === 0 ? '' : `, ${moneyText((sum / runs) * 1e6)} a million`}`));
  const free = Object.entries(parts.free).map(([type, count]) => `${count} ${type}`);
  if (free.length > 0) show.line(`Nothing while empty: ${free.join(', ')}.`);
  if (parts.unknown.length > 0) show.line(`Not counted: ${parts.unknown.join(', ')}.`);
  for (const note of [AS_OF, ...ASSUMPTIONS.map((one) => `Assumed: ${one}.`)]) show.line(show.paint('quiet', note));
  return EXIT.done;
}

function tellPart({ show }: Call, part: BillLine['part'], lines: readonly BillLine[]): void {
  if (lines.length === 0) return;
  show.sheet({
    columns: [
      { head: part.toUpperCase(), gives: true },
      { head: 'COUNT', right: true },
      { head: 'OF', gives: true },
      { head: 'PRICE' },
      { head: 'USD', right: true },
    ],
    rows: [
      ...lines.map(({ what, price, amount, usd }) => [
        what,
        countText(amount),
        PRICES[price].unit,
        priceText(PRICES[price]),
        moneyText(usd),
      ]),
      [{ text: PART_NAMES[part], style: 'head' as const }, '', '', '', { text: moneyText(total(lines)), style: 'head' as const }],
    ],
    empty: '',
  });
  show.line('');
}

async function compare(call: Call): Promise<number> {
  const { show } = call;
  const work = { jobs: amountFlag(call, 'jobs') ?? 10_000_000, timers: amountFlag(call, 'timers') ?? 1_000_000 };
  const stack = oneLane();
  const own = [...jobLines({ ...EMPTY_WORKLOAD, ...work }, stack), ...idleLines(stack)];
  const unwatched = total(own.filter(({ part }) => part !== 'watching'));
  const others = peers(work);
  if (show.json) show.data({ ...PRICE_TABLE, work, nightcrewUsd: { unwatched, watched: total(own) }, others });
  else {
    show.sheet({
      columns: [
        { head: 'WHERE', gives: true },
        { head: 'USD', right: true },
        { head: 'HOW', gives: true },
        { head: 'INCLUDES', gives: true },
      ],
      rows: [
        ['Nightcrew, with history', moneyText(unwatched), 'nightcrew cost says it', 'all but the run time of handlers'],
        ['and with metrics, alarms, traces, dashboard', moneyText(total(own)), 'the same', 'all that a deployment has by default'],
        ...others.map(({ name, usd, how, includes }) => [name, moneyText(usd), how, includes]),
      ],
      empty: '',
      notes: [AS_OF],
    });
  }
  return Promise.resolve(EXIT.done);
}

async function prices({ show }: Call): Promise<number> {
  const table: readonly (readonly [string, Price])[] = Object.entries(PRICES);
  if (show.json) show.data({ ...PRICE_TABLE, prices: PRICES });
  else {
    show.sheet({
      columns: [{ head: 'UNIT', gives: true }, { head: 'PRICE' }, { head: 'SEEN' }, { head: 'BASIS' }, { head: 'SOURCE', gives: true }],
      rows: table.map(([, price]) => [price.unit, priceText(price), price.seen, price.basis, price.source]),
      empty: '',
      notes: ['read: on its page; quoted: by a page that names it. Check before you rely on it.'],
    });
  }
  return Promise.resolve(EXIT.done);
}
