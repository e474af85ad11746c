import { Alarm, ComparisonOperator, type IAlarmAction, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { alarmDescription, type AlarmName } from './alarm-specs.ts';

/** What all alarms of a deployment share. */
export interface AlarmTerms {
  readonly actions: readonly IAlarmAction[];
  /** Where the articles of the runbook are to be read. */
  readonly runbook: string;
  /** Heartbeats do not alarm while the deployment is switched off. */
  readonly active: boolean;
}

/** What one alarm watches. */
export interface Watch {
  readonly name: AlarmName;
  /** The worker or function that it is about; empty for the deployment. */
  readonly of: string;
  readonly metric: IMetric;
  readonly threshold: number;
  readonly periods?: number;
  readonly below?: true;
  /** Set for heartbeats: no data is the alarm. */
  readonly missingIsBad?: true;
}

/** Makes an alarm that says how urgent it is and where its article is. */
export function createAlarm(scope: Construct, watch: Watch, { actions, runbook, active }: AlarmTerms): Alarm {
  const { name, of, metric, threshold, periods = 1, below, missingIsBad } = watch;
  const alarm = new Alarm(scope, of === '' ? name : `${name}-${of}`, {
    alarmDescription: alarmDescription(name, runbook),
    metric,
    threshold,
    evaluationPeriods: periods,
    comparisonOperator: below ? ComparisonOperator.LESS_THAN_THRESHOLD : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData: missingIsBad ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    actionsEnabled: active || missingIsBad !== true,
  });
  alarm.addAlarmAction(...actions);
  alarm.addOkAction(...actions);
  return alarm;
}
