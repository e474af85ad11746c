import { seededEntropy } from '../../../../shared/adapters/memory/seeded-entropy.ts';
import type { Entropy } from '../../../../shared/ports/entropy.ts';
import type { RecurrenceInput } from '../../../../shared/features/schedules/model/recurrence.ts';
import { worldHas } from './some-worlds.ts';

const MINUTE = 60_000;
/** When the year 2026 begins in some zones. The day before is a Wednesday. */
const NEW_YEARS = [
  ['UTC', '2026-01-01T00:00Z'],
  ['Asia/Kathmandu', '2025-12-31T18:15Z'],
  ['America/St_Johns', '2026-01-01T03:30Z'],
] as const;
const DAYS = [['WED'], ['THU'], ['12-31'], ['2026-01-01', 'SUN'], ['2025-12-24/2025-12-31'], ['01-01/01-06']] as const;

/** The excluded days of a world's schedules. Such a world begins a while before midnight, so that the day changes under its faults. */
export class Calendar {
  readonly startsAt: number;
  readonly #zone: string;
  readonly #chance: Entropy;

  /** That of the world of a seed; only some have one. */
  static of(seed: number): Calendar | undefined {
    return worldHas('calendar', seed) ? new Calendar(seed) : undefined;
  }

  private constructor(seed: number) {
    this.#chance = seededEntropy(seed * 83 + 43);
    const [zone, midnight] = this.#pick(NEW_YEARS);
    this.#zone = zone;
    this.startsAt = Date.parse(midnight) - Math.floor((5 + this.#chance.random() * 20) * MINUTE);
  }

  /** Of most schedules: days that they exclude, in the zone of this world. */
  recurrence(): Pick<RecurrenceInput, 'zone' | 'exclude'> {
    return { zone: this.#zone, ...(this.#chance.random() < 0.8 ? { exclude: this.#pick(DAYS) } : {}) };
  }

  /** What an operator excludes instead, who edits a schedule now and then. */
  edit(): { readonly exclude: readonly string[] | null } | undefined {
    return this.#chance.random() < 0.3 ? { exclude: this.#pick([...DAYS, null]) } : undefined;
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#chance.random() * items.length)] as Item;
  }
}
