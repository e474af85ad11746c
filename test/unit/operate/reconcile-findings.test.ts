import { expect, test } from 'vitest';
import { Findings } from '../../../operate/reconcile/findings.ts';

const finding = (subject: string) => ({ kind: 'two-places', subject, says: 'in Jobs and Timers' }) as const;

test('examples have what is left to an operator, even if five others were repaired before', () => {
  const findings = new Findings();
  for (const subject of ['a', 'b', 'c', 'd', 'e', 'f']) findings.add(finding(subject), 'repaired');
  for (const subject of ['g', 'h']) findings.add(finding(subject), 'left');
  findings.add(finding('i'), 'repaired');
  const [counts] = findings.counts();
  expect(counts).toMatchObject({ repaired: 7, left: 2 });
  expect(counts?.examples.map(({ subject, outcome }) => `${subject} ${outcome}`)).toEqual([
    'a repaired',
    'b repaired',
    'c repaired',
    'g left',
    'h left',
  ]);
});

test('examples are the first five that are left', () => {
  const findings = new Findings();
  for (const subject of ['a', 'b', 'c', 'd', 'e', 'f']) findings.add(finding(subject), 'left');
  expect(findings.counts()[0]?.examples.map(({ subject }) => subject)).toEqual(['a', 'b', 'c', 'd', 'e']);
});
