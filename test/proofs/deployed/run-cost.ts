import { type BillLine, IDLE, monthLines, total } from '../../../cli/cost/month.ts';
import { PRICE_TABLE } from '../../../cli/cost/prices.ts';
import { moneyText } from '../../../cli/text/money.ts';

/** Hours for which the stack is paid: CloudWatch counts metrics and alarms by the hour, and a run may begin at the end of one. */
const HOURS = 2;
const MONTH_HOURS = PRICE_TABLE.monthDays * 24;
/** More than the walk enqueues. */
const JOBS = 20;

/** What a run costs, line by line; the FIFO queue of the example is less than a cent. */
export function runCost(): readonly string[] {
  const lines = monthLines({ ...IDLE, jobs: JOBS, perBatch: 1 });
  const sum = (is: (line: BillLine) => boolean): number => total(lines.filter(is));
  const jobs = sum(({ part }) => part === 'jobs');
  const dashboard = sum(({ price }) => price === 'dashboard');
  const hourly = ((sum(() => true) - jobs - dashboard) / MONTH_HOURS) * HOURS;
  return [
    `${moneyText(hourly)}  the stack for ${HOURS} hours: ticks, queues, metrics, alarms`,
    `${moneyText(jobs)}  at most ${JOBS} jobs`,
    `${moneyText(dashboard)}  a dashboard, if the account has its three free ones already and it counts for a whole month`,
    `${moneyText(hourly + jobs + dashboard)}  in all, at list prices of ${PRICE_TABLE.region} of ${PRICE_TABLE.asOf}`,
  ];
}
