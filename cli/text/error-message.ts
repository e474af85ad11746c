import { causeChain, NightcrewError } from '../../shared/job/errors.ts';
import { plain, plainLines } from './plain.ts';

/**
 * The message of an error and its root cause, such as expired credentials: an operator can
 * fix that if it is shown. Several errors are shown on separate lines.
 */
export function errorMessage(error: unknown): string {
  const message = plainLines(error instanceof Error ? error.message : String(error));
  if (error instanceof AggregateError) return [message, ...error.errors.map((one) => `  ${plain(String(one))}`)].join('\n');
  return error instanceof NightcrewError ? `${message}${rootOf(error)}` : message;
}

function rootOf(error: NightcrewError): string {
  const root = causeChain(error)
    .slice(1)
    .findLast((link) => link instanceof Error);
  if (root === undefined) return '';
  const said = [root.message, 'code' in root ? String(root.code) : ''].find((text) => text !== '') ?? 'no more is known';
  return ` (${plain(`${root.name}: ${said}`)})`;
}
