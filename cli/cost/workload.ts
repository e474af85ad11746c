/** Whether finished jobs are kept: the prop `history` of a deployment. */
export type HistoryChoice = 'off' | 'outcome' | 'durable';

/** The workload of a month. */
export interface Workload {
  /** Due at once, or within 15 minutes. */
  readonly jobs: number;
  /** Due later: they wait in Timers until then. */
  readonly timers: number;
  readonly timerDays: number;
  /** KB of one job's row, rounded up. */
  readonly itemKb: number;
  /** How many are enqueued at a time, up to ten for each message batch. */
  readonly perSend: number;
  /** How many an executor gets at a time. */
  readonly perBatch: number;
  /** Handler time per delivery batch, whose jobs run side by side. */
  readonly handlerMs: number;
  readonly history: HistoryChoice;
  /** Days for which history is kept. */
  readonly historyDays: number;
  /** Average number of jobs in the table Jobs, ready or running: the sweeper reads them every minute. */
  readonly backlog: number;
  /** How many of the jobs have each of the `EXTRAS`. */
  readonly also: ReadonlyMap<string, number>;
}

/** No jobs, with the defaults of a deployment. */
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
