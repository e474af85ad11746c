import { Duration } from 'aws-cdk-lib';
import { type Alarm, AlarmStatusWidget, Dashboard, type IWidget, TextWidget } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { ALARM_SPECS, type AlarmName } from './alarm-specs.ts';
import { costRows } from './dashboard/cost-rows.ts';
import { WIDTH } from './dashboard/graph.ts';
import { maintenanceRows } from './dashboard/maintenance-rows.ts';
import { workerRows } from './dashboard/worker-rows.ts';
import type { WorkerQueues } from './queues.ts';
import type { Tables } from './tables.ts';

/** The resources that the dashboard shows. */
export interface DashboardOptions {
  readonly deployment: string;
  readonly tables: Tables;
  readonly workers: ReadonlyMap<string, { readonly queues: WorkerQueues; readonly fn?: IFunction }>;
  readonly acquirer: IFunction;
  readonly sweeper: IFunction;
  readonly alarms: readonly Alarm[];
  /** Address of the runbook. */
  readonly runbook: string;
}

/** A dashboard that follows a job: each worker from enqueue to end, then timers, sweeper, dead letters and cost. */
export function createDashboard(scope: Construct, options: DashboardOptions): Dashboard {
  const { deployment, alarms, workers } = options;
  return new Dashboard(scope, 'Dashboard', {
    defaultInterval: Duration.hours(3),
    widgets: [
      ...(alarms.length === 0 ? [] : [[new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms], width: WIDTH, height: 4 })]]),
      [guide(deployment, options.runbook)],
      ...[...workers].flatMap(([worker, watched]) => workerRows(deployment, worker, watched)),
      ...maintenanceRows(options),
      ...costRows(options),
    ],
  });
}

/** The runbook for red alarms. If it is not a web address, it is only named: a dashboard cannot link into a repository. */
function guide(deployment: string, runbook: string): IWidget {
  const onTheWeb = /^https?:\/\//.test(runbook);
  const article = (name: AlarmName): string => (onTheWeb ? `[${name}](${runbook}#${name})` : name);
  const named = Object.keys(ALARM_SPECS) as AlarmName[];
  const of = (severity: string): string =>
    named
      .filter((name) => ALARM_SPECS[name].severity === severity)
      .map(article)
      .join(' · ');
  const where = onTheWeb ? `[runbook](${runbook})` : `runbook (${runbook})`;
  const markdown = [
    `**${deployment}** · every alarm has an article in the ${where}; start with \`nightcrew doctor\`.`,
    `Page: ${of('page')}`,
    `Can wait until working hours: ${of('ticket')}`,
  ].join('\n\n');
  return new TextWidget({ markdown, width: WIDTH, height: 4 });
}
