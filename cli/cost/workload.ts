/** Whether finished jobs are kept, as the prop `history` of a deployment says. */
export type HistoryChoice = 'off' | 'outcome' | 'durable';

/** What runs in a month. */
export interface Workload {
  /** Due at once, or within 15 minutes. */
  readonly jobs: number;
  /** Due later: they lie in Timers until then. */
  readonly timers: number;
  readonly timerDays: number;
  /** KB of one job's row, rounded up. */
  readonly itemKb: number;
  /** How many are enqueued at a time, up to ten for each message batch. */
  readonly perSend: number;
  /** How many an executor gets at a time. */
  readonly perBatch: number;
  /** What handlers add to the run time of an invocation, for each batch: its jobs run side by side. */
  readonly handlerMs: number;
  readonly history: HistoryChoice;
  /** Days for which history is kept. */
  readonly historyDays: number;
  /** Jobs that lie in the table Jobs on average, ready or running: the sweeper reads them every minute. */
  readonly backlog: number;
  /** How many of the jobs use or meet what `EXTRAS` lists. */
  readonly also: ReadonlyMap<string, number>;
}

/** Nothing at all, with the defaults of a deployment. */
export const EMPTY_WORKLOAD: Workload = {
  jobs: 0,
  timers: 0,
  timerDays: 30,
  itemKb: 1,
  perSend: 10,
  perBatch: 10,
  handlerMs: 0,
  history: 'outcome',
  historyDays: 3,
  backlog: 0,
  also: new Map(),
};
