import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ALARM_SPECS, type AlarmName } from '../../infra/alarm-specs.ts';
import { SETTINGS } from '../../shared/config/settings.ts';

const PAGE = 'docs/operate/runbook.md';
const TEXT = readFileSync(PAGE, 'utf8');
const NAMES = Object.keys(ALARM_SPECS) as readonly AlarmName[];
/** What is no article of an alarm. */
const BESIDE = ['First, for every alarm', 'Rows are damaged or deleted', 'An hour after an incident'];

const SECTIONS = new Map(
  TEXT.split(/^## /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')), section.slice(section.indexOf('\n')).trim()] as const),
);

const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');

describe('the runbook', () => {
  it('has an article for each alarm, and none for what is no alarm', () => {
    expect([...SECTIONS.keys()].filter((title) => !BESIDE.includes(title)).toSorted()).toEqual(NAMES.toSorted());
    for (const title of BESIDE) expect(SECTIONS.has(title)).toBe(true);
  });

  it.each(NAMES)('says of %s under three headings what it means, what to look at and what to do', (name) => {
    const parts = (SECTIONS.get(name) ?? '').split(/^### /m).slice(1);
    expect(parts.map((part) => part.slice(0, part.indexOf('\n')))).toEqual(['Meaning', 'Look at', 'Do']);
    for (const part of parts) expect(part.slice(part.indexOf('\n')).trim().length).toBeGreaterThan(30);
  });

  it.each(NAMES)('says in the first line of %s whether to wake somebody', (name) => {
    const wake = { page: /^\*\*Page: wake .+\*\*/, ticket: /^\*\*Ticket: do not page.*\*\*/ }[ALARM_SPECS[name].severity];
    expect((SECTIONS.get(name) ?? '').split('\n')[0]).toMatch(wake);
  });

  it('redrives nothing without a count and a canary first', () => {
    const after = SECTIONS.get('An hour after an incident') ?? '';
    const [counted, canary] = [after.indexOf('--dry-run'), after.indexOf('--canary')];
    expect(counted).toBeGreaterThan(-1);
    expect(canary).toBeGreaterThan(counted);
    expect(after).toContain('--rate');
  });

  it('names answers of explain that are there', () => {
    const codes = readFileSync('operate/explain/explanation.ts', 'utf8');
    const table = TEXT.slice(TEXT.indexOf('| `explain` says'), TEXT.indexOf('## lane-age'));
    const named = [...table.matchAll(/^\| `([a-z-]+)` +\|/gm)].map(([, code = '']) => code);
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((code) => !codes.includes(`'${code}'`))).toEqual([]);
  });

  it('names settings that are there', () => {
    const props = Object.keys(SETTINGS).flatMap((name) => [name, name.replace(/(Ms|Mb)$/, '')]);
    const named = [...TEXT.matchAll(/`([a-z]+[A-Z][A-Za-z]*)`/g)].map(([, name = '']) => name);
    const others = [
      'maxBacklog',
      'maxConcurrency',
      'tableProps',
      'continueWith',
      'maxReceiveCount',
      'chainDepth',
      'missingPermission',
      'onError',
    ];
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !props.includes(name) && !others.includes(name))).toEqual([]);
  });

  it('links to pages and headings that are there', () => {
    for (const [, target = ''] of TEXT.matchAll(/\]\(([^)]+)\)/g)) {
      const [file = '', anchor] = target.split('#');
      const path = file === '' ? PAGE : join(dirname(PAGE), file);
      expect(existsSync(path), target).toBe(true);
      if (anchor === undefined) continue;
      const headings = [...readFileSync(path, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
      expect(headings, target).toContain(anchor);
    }
  });
});
