import { describe, expect, it } from 'vitest';
import { consoleOfJobs } from './console-of-jobs.ts';
import { words } from './page-words.ts';

const stage = consoleOfJobs(60, { redact: ['password'] });

describe('the filters of the list of jobs', () => {
  it('turns a list round where keys give an order, on every page of it, and says where they give none', async () => {
    const firstOf = (text: string) => /data-select value="([0-9a-f-]{36})"/.exec(text)?.[1];
    const usual = await stage.read('/jobs?state=dead&type=mail.send');
    const href = /<a href="([^"]+)">Show oldest first<\/a>/.exec(usual)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const oldest = await stage.read(href);
    expect(words(oldest)).toContain('50 jobs on this page, oldest first');
    expect(oldest).toContain('>Show newest first</a>');
    expect(oldest).toContain('--type mail.send --order oldest-first');
    expect(oldest).toContain('<input type="hidden" name="order" value="oldest-first" />');
    expect(firstOf(oldest)).not.toBe(firstOf(usual));
    const next = /<a rel="next" href="([^"]+)"/.exec(oldest)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(words(await stage.read(next))).toContain('10 jobs on this page, oldest first');
    expect(await stage.read('/jobs?state=ready')).not.toContain('>Show ');
    expect(words(await stage.read('/jobs?state=ready&order=newest-first'))).toContain('Only keys give an order');
  });

  it('filters by numbers, kind, error, creation and alternatives, and keeps what was typed', async () => {
    const both = `or=${encodeURIComponent('reason=non-retryable')}&or=${encodeURIComponent('failures=99..')}`;
    const text = await stage.read(`/jobs?state=dead&type=mail.send&attempts=..1&kind=async&hasError=true&createdFrom=2h&${both}`);
    expect(text).toContain('<details id="more-filters" open>');
    expect(words(text)).toContain('no such mailbox');
    expect(words(text)).not.toContain('relay answered');
    for (const typed of ['name="attempts" value="..1"', 'name="createdFrom" value="2h"', 'name="or" value="failures=99.."']) {
      expect(text).toContain(typed);
    }
    expect(text.match(/name="or"/g)).toHaveLength(3);
    expect(text).toMatch(/<option value="async" selected>[\s\S]*<option value="true" selected>/);
    expect(words(text)).toContain('attempts ..1, created from');
    expect(words(await stage.read('/jobs?state=dead&attempts=2..&hasError=false'))).toContain('No job matches.');
    for (const wrong of ['priority=high', 'or=typ%3Da', 'hasError=perhaps', 'createdTo=soon']) {
      expect(words(await stage.read(`/jobs?${wrong}`)), wrong).toContain('This list cannot be shown');
    }
  });

  it('searches no hidden text through an alternative', async () => {
    const text = await stage.read(`/jobs?or=${encodeURIComponent('text=m3')}`);
    expect(words(text)).toContain('does not search their text');
    expect(text).not.toContain('data-select');
  });
});
