import type { World } from '../world/world.ts';

/** No hint is sent more often than once and for each time that it was forwarded. */
export function checkEconomy({ checks, queues }: World): void {
  for (const [hint, { sends, forwards }] of queues.sends) {
    if (sends > 1 + forwards) checks.violations.add('sends-explained', `${hint} was sent ${sends} times, ${forwards} of them forwarded`);
  }
}
