import { App, RemovalPolicy } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { type BillLine, total } from '../../../cli/cost/bill.ts';
import { idleLines } from '../../../cli/cost/idle-lines.ts';
import { jobLines } from '../../../cli/cost/job-lines.ts';
import { moneyText } from '../../../cli/cost/money.ts';
import { PRICE_TABLE } from '../../../cli/cost/prices.ts';
import { partsOfTemplate } from '../../../cli/cost/read-template.ts';
import { EMPTY_WORKLOAD } from '../../../cli/cost/workload.ts';
import { OrderServiceStack } from '../../../infra/order-service-stack.ts';
import { createRunFolder } from '../../../local/run-folder.ts';
import { systemClock } from '../../../shared/adapters/system.ts';
import { FOLDER } from './deploy-and-walk.ts';

/** Hours for which the stack is paid: CloudWatch counts metrics and alarms by the hour, and a run may begin at the end of one. */
const HOURS = 2;
const MONTH_HOURS = PRICE_TABLE.monthDays * 24;
/** More than the walk enqueues. */
const JOBS = 20;

/** What a run costs, line by line, from the template that it deploys. */
export function runCost(): readonly string[] {
  const outdir = createRunFolder(systemClock.now(), FOLDER);
  const app = new App({ context: { 'aws:cdk:bundling-stacks': [] }, builtinCloudFormationValidation: false, outdir });
  const template = Template.fromStack(new OrderServiceStack(app, 'Example', { removalPolicy: RemovalPolicy.DESTROY })).toJSON();
  return costLines(template);
}

/** The same for a template. */
export function costLines(template: unknown): readonly string[] {
  const parts = partsOfTemplate(template);
  const lines = [...idleLines(parts), ...jobLines({ ...EMPTY_WORKLOAD, jobs: JOBS }, parts)];
  const sum = (is: (line: BillLine) => boolean): number => total(lines.filter(is));
  const jobs = sum(({ part }) => part === 'jobs');
  const dashboard = sum(({ price }) => price === 'dashboard');
  const hourly = ((sum(() => true) - jobs - dashboard) / MONTH_HOURS) * HOURS;
  return [
    `${moneyText(hourly)}  the stack for ${HOURS} hours: ticks, queues, metrics, alarms`,
    `${moneyText(jobs)}  at most ${JOBS} jobs`,
    `${moneyText(dashboard)}  a dashboard, if the account has its three free ones already and it counts for a whole month`,
    `${moneyText(hourly + jobs + dashboard)}  in all at most, at list prices of ${PRICE_TABLE.region} of ${PRICE_TABLE.asOf}`,
  ];
}
