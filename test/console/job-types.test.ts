import { describe, expect, it } from 'vitest';
import type { Admin, TypeList } from '../../operate/index.ts';
import { openConsole } from './open-console.ts';
import { words } from './page-words.ts';

const lastSeen = new Date('2026-01-01T00:00:00Z');
const on = { worker: 'default', kind: 'lambda', versions: ['2'], current: true, off: false, lastSeen } as const;
const idle = { deadLetters: 0, suspended: false, handlerMissing: false } as const;

const set = { scope: 'type#a&b', priority: 20, actor: 'anna', at: lastSeen, cascade: false, default: false };

async function page(list: TypeList): Promise<string> {
  const admin = {
    workers: async () => Promise.resolve([]),
    types: async () => Promise.resolve(list),
    priorities: async () => Promise.resolve([set]),
  } as unknown as Admin;
  const open = await openConsole({ admin, now: () => lastSeen.getTime() + 60_000 });
  const { text } = await open.get('/workers');
  expect(open.problems).toEqual([]);
  await open.close();
  return text;
}

describe('the types on the page of workers', () => {
  it('lead to their jobs and dead letters, and say what is wrong with them', async () => {
    const text = await page({
      types: [
        { ...idle, type: 'a&b', workers: [on, { ...on, worker: 'heavy', off: true }], deadLetters: 1_234 },
        { ...idle, type: 'old', workers: [{ ...on, current: false }], suspended: true },
        { ...idle, type: 'bounded', workers: [on], backlog: { bound: 2_000, ready: 1_999, measuredAt: lastSeen } },
        { ...idle, type: 'brimful', workers: [on], backlog: { bound: 2_000, ready: 2_000, measuredAt: lastSeen } },
        { ...idle, type: 'new', workers: [on], backlog: { bound: 2_000 } },
        { ...idle, type: 'lost', workers: [], handlerMissing: true },
      ],
      anyType: [],
      complete: true,
      readUnits: 1,
    });
    expect(text).toContain('<a href="/jobs?type=a%26b">a&amp;b</a>');
    expect(text).toContain('href="/dead-letters?type=a%26b"');
    expect(words(text)).toMatch(/a&b default, heavy .*1 min ago - ≥ 1,234 off on heavy 20 Override priority…/);
    expect(words(text)).toMatch(/old default .*suspended no longer on default/);
    expect(words(text)).toMatch(/lost .*handler missing no worker reports it/);
    expect(words(text)).toMatch(/bounded default .*1 min ago 1,999 of 2,000 2026-01-01 00:00:00 1 min ago - - Override priority… brimful/);
    expect(words(text)).toMatch(/brimful default .*2,000 of 2,000 2026-01-01 00:00:00 1 min ago full/);
    expect(words(text)).toMatch(/new default .*1 min ago not measured yet, of 2,000/);
    expect(words(text)).not.toContain('may be missing');
  });

  it('are none at first, and name the workers that take every type', async () => {
    const text = words(await page({ types: [], anyType: ['python'], complete: false, readUnits: 1 }));
    expect(text).toContain('No type is known yet.');
    expect(text).toContain('python takes every type. There are too many error groups to read');
  });
});
