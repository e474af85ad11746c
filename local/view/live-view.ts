import { systemClock } from '../../shared/adapters/system.ts';
import { countStates } from '../shop/job-places.ts';
import type { Shop } from '../shop/shop.ts';
import { renderLine, renderView, rowsOf } from './render.ts';
import { quantile, type Snapshot, type TypeCounts } from './snapshot.ts';

/** Where and how the view is shown. */
export interface LiveViewOptions {
  readonly shop: Shop;
  readonly orders: () => number;
  /** Redraws in place on a terminal; otherwise a plain line each time. */
  readonly terminal: boolean;
  readonly columns: () => number;
  /** A line below the view; empty for none. */
  readonly note?: () => string;
  readonly write: (text: string) => void;
  readonly signal: AbortSignal;
}

const TERMINAL_EVERY_MS = 500;
const LINE_EVERY_MS = 2_000;
const THROUGHPUT_OVER_MS = 5_000;
const DELAYS_KEPT = 500;

/** Shows the view until `signal` aborts. A failed read of the tables is shown below the last figures. */
export async function showLiveView(options: LiveViewOptions): Promise<void> {
  const startedAt = systemClock.now();
  const history: { readonly at: number; readonly completed: number }[] = [];
  let drawn: readonly string[] = [];
  let shown: readonly string[] = [];
  while (!options.signal.aborted) {
    const snapshot = await takeSnapshot(options, startedAt, history).catch((error: unknown) => silentText(error));
    if (options.signal.aborted) return;
    const silent = typeof snapshot === 'string' ? [snapshot] : [];
    if (options.terminal) {
      if (typeof snapshot !== 'string') shown = renderView(snapshot, options.columns());
      const note = options.note?.() ?? '';
      drawn = redraw(options, [...shown, ...silent, ...(note === '' ? [] : [note])], drawn);
    } else options.write(`${typeof snapshot === 'string' ? snapshot : renderLine(snapshot)}\n`);
    await systemClock.wait(options.terminal ? TERMINAL_EVERY_MS : LINE_EVERY_MS, options.signal);
  }
}

/** The note shown while the tables do not answer: the figures above it are not updated. */
function silentText(error: unknown): string {
  const why = error instanceof Error ? error.name : 'unknown';
  return `DynamoDB of this region does not answer (${why}), so nothing runs and these figures are old. If it stays so, Ctrl-C and start again.`;
}

/** Moves up over the previous drawing, by its current number of rows: a line wider than the terminal takes several. */
function redraw({ write, columns }: LiveViewOptions, lines: readonly string[], drawn: readonly string[]): readonly string[] {
  const rows = rowsOf(drawn, columns());
  write(`${rows > 0 ? `\u001b[${rows}A` : ''}\u001b[J${lines.join('\n')}\n`);
  return lines;
}

async function takeSnapshot(
  { shop, orders }: LiveViewOptions,
  startedAt: number,
  history: { readonly at: number; readonly completed: number }[],
): Promise<Snapshot> {
  const { ledger, region } = shop;
  const { counts, deadLetters } = await countStates(region.dynamo, region.tables);
  const now = systemClock.now();
  const completed = ledger.counts.get('completed') ?? 0;
  history.push({ at: now, completed });
  while (history.length > 1 && (history[0]?.at ?? now) < now - THROUGHPUT_OVER_MS) history.shift();
  const first = history[0] ?? { at: now, completed };
  ledger.queueDelaysMs.splice(0, ledger.queueDelaysMs.length - DELAYS_KEPT);
  const median = quantile(ledger.queueDelaysMs, 0.5);
  const p95 = quantile(ledger.queueDelaysMs, 0.95);
  return {
    upMs: now - startedAt,
    orders: orders(),
    counts,
    completed,
    cancelled: ledger.cancellations,
    retried: ledger.counts.get('retried') ?? 0,
    timersFired: ledger.counts.get('timers-fired') ?? 0,
    resets: ledger.counts.get('reset') ?? 0,
    throughput: now === first.at ? 0 : ((completed - first.completed) * 1000) / (now - first.at),
    ...(median === undefined || p95 === undefined ? {} : { delay: { median, p95 } }),
    byType: typeCounts(shop),
    deadLetters,
  };
}

function typeCounts({ ledger }: Shop): readonly TypeCounts[] {
  const types = new Map<string, { enqueued: number; runs: number; completed: number }>();
  const of = (type: string) => {
    const known = types.get(type) ?? { enqueued: 0, runs: 0, completed: 0 };
    types.set(type, known);
    return known;
  };
  for (const [id, { type }] of ledger.expected) {
    of(type).enqueued += 1;
    if (ledger.finished.get(id)?.includes('completed') === true) of(type).completed += 1;
  }
  for (const { type } of ledger.runs) of(type).runs += 1;
  return [...types].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([type, counts]) => ({ type, ...counts }));
}
