import { describe, expect, it } from 'vitest';
import { parseRecurrence } from '../../../../shared/features/schedules/model/recurrence.ts';

describe('a recurrence that cannot be', () => {
  it.each([
    [{ cron: '0 * * * *', from: 'soon' }, /^from: /],
    [{ cron: '0 * * * *', until: 'later' }, /^until: /],
    [{ cron: '0 * * * *', dst: { overlap: 'never' } }, /^dst\.overlap: /],
    [{ cron: '0 * * * *', dst: { gap: 'never' } }, /^dst\.gap: /],
  ])('%j names the field that is wrong', (input, message) => {
    expect(() => parseRecurrence(input as never)).toThrow(message);
  });
});
