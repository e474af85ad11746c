import { shown } from '../../shared/job/errors.ts';
import type { Call } from '../call.ts';
import { ASSUMPTIONS, type BillLine, IDLE, monthLines, total, type Work } from '../cost/month.ts';
import { PRICE_TABLE, PRICES } from '../cost/prices.ts';
import { countText, moneyText, priceText } from '../text/money.ts';
import { EXIT, UsageError } from '../exit.ts';
import { flagName } from '../open-call.ts';
import { verbCommand } from '../verb-command.ts';

const PARTS = { jobs: 'the jobs', idle: 'the stack, even without jobs', monitoring: 'metrics, alarms, traces, dashboard' } as const;
const HISTORY = ['off', 'outcome', 'durable'] as const;
/** The zeros that a unit stands for. */
const ZEROS: Readonly<Record<string, number>> = { k: 3, m: 6, b: 9 };

/** `nightcrew cost`: what a month costs, from measured counts and a dated price table. It makes no requests. */
export const costCommand = verbCommand('cost', 'the cost of a month, item by item', [
  {
    summary: 'the cost of a month, item by item, for one worker with one lane, at list prices without free tiers',
    apart: true,
    flags: [
      { flags: '--jobs <count>', doc: 'jobs a month that are due at once or within 15 minutes: 250000, 250k, 10M, 2B; default 0' },
      { flags: '--timers <count>', doc: 'jobs a month that are due later; default 0' },
      { flags: '--item-kb <kb>', doc: 'size of a job as it is stored, in KB, 1 to 390; default 1' },
      { flags: '--per-batch <count>', doc: 'jobs for each send and each delivery, 1 to 10; default 10' },
      { flags: '--history <mode>', doc: 'whether finished jobs are kept, for three days; default outcome', choices: HISTORY },
      { flags: '--no-monitoring', doc: 'without metrics, alarms, traces and dashboard' },
    ],
    more: 'A stack that runs nothing: nightcrew cost\nYour own: nightcrew cost --jobs 10M --timers 1M',
    run: month,
  },
]);

async function month(call: Call): Promise<number> {
  const { show } = call;
  const work: Work = {
    jobs: amountOf(call, 'jobs'),
    timers: amountOf(call, 'timers'),
    itemKb: within(call, 'itemKb', 390),
    perBatch: within(call, 'perBatch', 10),
    history: HISTORY.find((mode) => mode === call.text('history')) ?? IDLE.history,
    monitoring: !call.off('monitoring'),
  };
  const lines = monthLines(work);
  const sum = total(lines);
  const runs = work.jobs + work.timers;
  if (show.json) show.data({ ...PRICE_TABLE, work, lines, totalUsd: sum, ...(runs === 0 ? {} : { perMillionUsd: (sum / runs) * 1e6 }) });
  else {
    for (const [part, name] of Object.entries(PARTS)) {
      showPart(
        call,
        name,
        lines.filter((line) => line.part === part),
      );
    }
    show.line(show.paint('head', `Total: ${moneyText(sum)} a month${runs === 0 ? '' : `, ${moneyText((sum / runs) * 1e6)} a million`}`));
    show.line(show.paint('quiet', `List prices of ${PRICE_TABLE.region}, ${PRICE_TABLE.asOf}; docs/operate/costs.md names their sources.`));
    for (const one of ASSUMPTIONS) show.line(show.paint('quiet', `Assumed: ${one}.`));
  }
  return Promise.resolve(EXIT.done);
}

function showPart({ show }: Call, name: string, lines: readonly BillLine[]): void {
  if (lines.length === 0) return;
  show.sheet({
    columns: [
      { head: 'ITEM', gives: true },
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
      [{ text: name, style: 'head' as const }, '', '', '', { text: moneyText(total(lines)), style: 'head' as const }],
    ],
    empty: '',
  });
  show.line('');
}

/** `250000`, `250k`, `1.5M` or `2B` as a whole number. */
function amountOf(call: Call, name: 'jobs' | 'timers'): number {
  const text = call.text(name);
  if (text === undefined) return IDLE[name];
  const [, digits = '', decimals = '', unit = ''] = /^(\d{1,12}(?:\.(\d{1,9}))?)([kKmMbB]?)$/.exec(text) ?? [];
  const zeros = ZEROS[unit.toLowerCase()] ?? 0;
  const amount = Math.round(Number(digits) * 10 ** zeros);
  // Beyond that, sums of floating-point numbers lose their cents.
  if (digits !== '' && decimals.length <= zeros && amount <= 1e12) return amount;
  throw new UsageError(`${flagName(name)} ${shown(text)} is no count of at most 1000B. Use a count such as 250000, 250k, 1.5M or 2B.`);
}

function within(call: Call, name: 'itemKb' | 'perBatch', max: number): number {
  const value = call.whole(name) ?? IDLE[name];
  if (value >= 1 && value <= max) return value;
  throw new UsageError(`${flagName(name)} ${value} is outside its range. Use a whole number from 1 to ${max}.`);
}
