import { describe, expect, it } from 'vitest';
import { closestName } from '../../../shared/job/closest-name.ts';

describe('the closest name', () => {
  it.each([
    ['alarm', 'alarms'],
    ['alarmss', 'alarms'],
    ['larms', 'alarms'],
    ['alasms', 'alarms'],
    ['dashbord', 'dashboard'],
    ['Settings', 'settings'],
  ])('of %s is %s', (typed, name) => expect(closestName(typed, ['settings', 'alarms', 'dashboard'])).toBe(name));

  it('is the one with the fewest changes, whatever their order', () => {
    expect(closestName('entri', ['entries', 'entry'])).toBe('entry');
    expect(closestName('entri', ['entry', 'entries'])).toBe('entry');
  });

  it('is none if more than three letters or half of the name differ', () => {
    expect(closestName('dashb', ['dashboard'])).toBeUndefined();
    expect(closestName('dashbo', ['dashboard'])).toBe('dashboard');
    expect(closestName('xx', ['to'])).toBeUndefined();
    expect(closestName('tx', ['to'])).toBe('to');
    expect(closestName('x', ['a'])).toBeUndefined();
  });

  it('is none among no names', () => expect(closestName('alarms', [])).toBeUndefined());

  it('reads the first 40 letters of what was typed, which may be as long as it likes', () => {
    const name = 'a'.repeat(40);
    expect(closestName(`${name}${'b'.repeat(100_000)}`, [name])).toBe(name);
  });
});
