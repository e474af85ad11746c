import { join } from 'node:path';
import type { JobContext } from '../../../functions/index.ts';
import type { Order, Orders } from '../orders.ts';
import { writeWhole } from './write-whole.ts';

const COLUMNS = ['orderId', 'customer', 'amountCents', 'status', 'placedAt', 'paidAt', 'remindedAt'] as const;

/** Writes all orders into `report-<day>.csv`, page by page; stops between pages when its time is over. */
export function reportOrdersWith(orders: Pick<Orders, 'pages'>, folder: string) {
  return async ({ payload, job, signal, log }: JobContext<{ day: string }>): Promise<void> => {
    let count = 0;
    async function* lines(): AsyncIterable<string> {
      yield `${COLUMNS.join(',')}\r\n`;
      for await (const page of orders.pages()) {
        signal.throwIfAborted();
        count += page.length;
        yield page.map(csvLine).join('');
      }
    }
    await writeWhole(join(folder, `report-${payload.day}.csv`), job.attempt, lines());
    log.info('report written', { orders: count });
  };
}

function csvLine(order: Order): string {
  return `${COLUMNS.map((column) => csvField(order[column] ?? '')).join(',')}\r\n`;
}

/** Quoted, with an apostrophe before anything that a spreadsheet would read as a formula (CSV injection). */
export function csvField(value: string | number): string {
  const text = String(value);
  const harmless = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${harmless.replaceAll('"', '""')}"`;
}
