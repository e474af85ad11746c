import { describe, expect, it } from 'vitest';
import { compareWithCroner, compareWithOracle, EXPRESSIONS } from './compare.ts';
import { ZONES } from './zones.ts';

describe('occurrences over the years', () => {
  it.each(['Europe/Berlin', 'Australia/Lord_Howe', 'Pacific/Apia'])(
    'in %s are those of a minute-by-minute walk, by every policy',
    (zone) => {
      const { occurrences, differences } = compareWithOracle(zone, [2011, 2012]);
      expect(differences).toEqual([]);
      expect(occurrences).toBeGreaterThan(1_000);
    },
  );

  it.each(['America/New_York', 'Asia/Tehran', 'America/Santiago'])('in %s are those of a second implementation', (zone) => {
    const compared = EXPRESSIONS.map((cron) => compareWithCroner(zone, cron, [2020, 2021]));
    expect(compared.flatMap(({ differences }) => differences)).toEqual([]);
    expect(Math.min(...compared.map(({ occurrences }) => occurrences))).toBeGreaterThan(20);
  });

  it('are compared in fifty zones', () => expect(new Set(ZONES).size).toBe(50));
});
