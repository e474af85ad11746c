import { causeChain, NightcrewError } from '../../shared/core/errors.ts';
import { plain, plainLines } from './plain.ts';

/**
 * What an error says, and what lies at its bottom, such as credentials that ran out: whoever operates can
 * fix that, if it is said. Of several at once each is told, on a line of its own.
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
