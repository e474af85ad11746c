import { shown } from '../../shared/job/errors.ts';
import { UsageError } from '../exit.ts';

const TIMES: Readonly<Record<string, number>> = { '': 1, k: 1_000, m: 1_000_000, b: 1_000_000_000 };
/** Beyond it sums of floating-point numbers lose their cents. */
const MOST = 1_000_000_000_000;

/** `250000`, `250k`, `1.5M` or `2B` as a whole number. Throws UsageError naming the option for anything else. */
export function amountOf(flag: string, text: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,13}(?:\.\d{1,9})?)([kKmMbB]?)$/.exec(text) ?? [];
  const times = TIMES[unit.toLowerCase()];
  const amount = digits === '' || times === undefined ? Number.NaN : Math.round(Number(digits) * times * 1e6) / 1e6;
  if (!Number.isInteger(amount))
    throw new UsageError(`${flag} ${shown(text)} is not a valid count. Use a count such as 250000, 250k, 1.5M or 2B.`);
  if (amount > MOST) throw new UsageError(`${flag} ${shown(text)} is more than 1000B. Use a smaller count.`);
  return amount;
}
