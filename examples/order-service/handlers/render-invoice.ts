import { join } from 'node:path';
import { fail, type JobContext, type Verdict } from '../../../functions/index.ts';
import type { Order, Orders } from '../orders.ts';
import { writeWhole } from './write-whole.ts';

/** Writes an order's invoice as `<job id>.html`: a second run of the job writes the same file again. */
export function renderInvoiceWith(orders: Pick<Orders, 'get'>, folder: string) {
  return async ({ payload, job, log }: JobContext<{ orderId: string }>): Promise<Verdict | undefined> => {
    const order = await orders.get(payload.orderId);
    if (order === undefined) return fail(`There is no order ${payload.orderId}.`);
    if (!Number.isSafeInteger(order.amountCents) || order.amountCents <= 0) {
      return fail(`Order ${order.orderId} has an amount of ${order.amountCents} cents, which cannot be invoiced.`);
    }
    const path = join(folder, `${job.id}.html`);
    await writeWhole(path, job.attempt, [invoice(order)]);
    log.info('invoice written', { path });
    return undefined;
  };
}

function invoice(order: Order): string {
  const rows = [
    ['Order', order.orderId],
    ['Customer', order.customer],
    ['Placed', order.placedAt],
    ['Amount', (order.amountCents / 100).toFixed(2)],
  ];
  const table = rows.map(([name, value]) => `<tr><th>${name}</th><td>${escapeHtml(value ?? '')}</td></tr>`).join('\n');
  return `<!doctype html>\n<meta charset="utf-8">\n<title>Invoice ${escapeHtml(order.orderId)}</title>\n<h1>Invoice</h1>\n<table>\n${table}\n</table>\n`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
