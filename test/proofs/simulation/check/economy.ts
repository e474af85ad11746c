import type { World } from '../world/world.ts';

/** No job is dispatched, sent or started more often than what went wrong explains. */
export function checkEconomy({ checks, queues }: World): void {
  for (const [hint, { sends, forwards }] of queues.sends) {
    if (sends > 1 + forwards) checks.violations.add('sends-explained', `${hint} was sent ${sends} times, ${forwards} of them forwarded`);
  }
}
