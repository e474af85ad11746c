import { Token } from 'aws-cdk-lib';
import { checkWorkerNames, refuse, shownValue } from '../shared/config/deployment-checks.ts';
import { checkedInUse } from '../shared/job/option-checks.ts';
import { ALL_WORKERS } from '../shared/job/worker-names.ts';
import { checkFunctionProps, checkVariables, type FunctionPropsPlace } from './function-props-checks.ts';
import type { WorkerProps } from './job-executor-props.ts';
import { checkShape, checkSwitch, hasMethod, isRecord, isText, type PropsShape, valid } from './option-checks.ts';

/** Lanes, pollers and settings are checked with each other, when the worker is planned. */
const workerShape = (place: FunctionPropsPlace): PropsShape<WorkerProps> => ({
  of: 'a worker',
  example: "{ entry: 'worker.ts' }",
  checks: {
    outside: checkSwitch,
    entry: valid(isText, "Give the path of the file that exports handler, such as 'worker.ts'."),
    code: valid(hasMethod('bind'), "Use Code.fromAsset('dist'), or entry for a file that is to be bundled."),
    handler: valid(isText, "Give file and export, such as 'index.handler'."),
    formerly: checkedInUse,
    groups: checkSwitch,
    lanes: checkedInUse,
    pollers: checkedInUse,
    timersFirst: checkedInUse,
    priority: checkedInUse,
    settings: checkedInUse,
    environment: (field, value) => checkVariables(field, value, place.metrics),
    functionProps: (field, value) => checkFunctionProps(field, value, place),
  },
});

/** Refuses workers with names that cannot be, and wrong options of workers. */
export function checkWorkers(workers: unknown, place: FunctionPropsPlace): void {
  if (!isRecord(workers)) {
    refuse('workers', `${shownValue(workers)} are no workers. Give them by name: { default: { entry: 'worker.ts' } }.`);
  }
  checkWorkerNames(Object.keys(workers), [ALL_WORKERS]);
  checkFormerNames(workers as Readonly<Record<string, WorkerProps>>);
  const shape = workerShape(place);
  for (const [worker, props] of Object.entries(workers)) checkShape(`workers.${worker}`, props, shape);
}

/** Refuses a former name that another worker has or had: its jobs could go to either. */
export function checkFormerNames(workers: Readonly<Record<string, Pick<WorkerProps, 'formerly'> | null>>): void {
  const taken = new Map(Object.keys(workers).map((worker) => [worker, worker]));
  for (const [worker, props] of Object.entries(workers)) {
    const field = `workers.${worker}.formerly`;
    const formerly: unknown = props?.formerly ?? [];
    if (!Array.isArray(formerly)) refuse(field, `${shownValue(formerly)} is no list. Give the former names: ['default'].`);
    for (const name of formerly as readonly string[]) {
      checkWorkerNames([name], [ALL_WORKERS], field);
      const owner = taken.get(name);
      if (owner !== undefined)
        refuse(field, `${shownValue(name)} is a name of worker ${owner}. A name belongs to one worker: leave it out here.`);
      taken.set(name, worker);
    }
  }
}

/** Refuses fewer sandboxes than the event sources of a worker start together: Lambda would throttle, and messages wait out their visibility timeout. */
export function checkReserved(worker: string, props: WorkerProps, needed: number): void {
  const reserved = props.functionProps?.reservedConcurrentExecutions;
  if (reserved === undefined || Token.isUnresolved(reserved) || reserved >= needed) return;
  const field = `workers.${worker}.functionProps.reservedConcurrentExecutions`;
  if (!Number.isFinite(needed)) {
    refuse(
      field,
      `${shownValue(reserved)} cannot hold a worker whose maxConcurrency is 0, for no limit. Set maxConcurrency of the worker.`,
    );
  }
  refuse(
    field,
    `${shownValue(reserved)} is less than the ${needed} executors that the queues of worker ${worker} may run. Reserve ${needed} or more, or lower maxConcurrency or pollers.maximum of the worker.`,
  );
}
