import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../cli/commands.ts';
import { consoleOfJobs } from './console-of-jobs.ts';
import { HOSTILE } from './jobs-in-every-state.ts';
import { openConsole } from './open-console.ts';
import { words } from './page-words.ts';

const stage = consoleOfJobs(60, { redact: ['password'] });

describe('the list of jobs', () => {
  it('shows each state under its tab, with only the jobs of that state', async () => {
    for (const [state, ids] of Object.entries({
      ready: [stage.world.ids.ready],
      running: [stage.world.ids.running],
      waiting: [stage.world.ids.waiting],
      parked: [stage.world.ids.parked],
      suspended: [stage.world.ids.suspended, stage.world.ids.stopped],
      finished: [stage.world.ids.finished, stage.world.ids.snoozed],
    })) {
      const text = await stage.read(`/jobs?state=${state}`);
      for (const [name, id] of Object.entries(stage.world.ids)) {
        if (name === 'unhandled') continue;
        expect(text.includes(`/jobs/${id}`), `${name} under ${state}`).toBe((ids as readonly string[]).includes(id));
      }
    }
  });

  it('goes through 60 dead letters in pages of 50, each once', async () => {
    const first = await stage.read('/jobs?state=dead&type=mail.send');
    const ids = (text: string) => [...text.matchAll(/data-select value="([0-9a-f-]{36})"/g)].map((match) => match[1]);
    const next = /<a rel="next" href="([^"]+)"/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const rest = await stage.read(next);
    expect(ids(first)).toHaveLength(50);
    expect(new Set([...ids(first), ...ids(rest)]).size).toBe(60);
    expect(rest).toContain('Last page');
  });

  it('says what it read, and counts what matches only when asked', async () => {
    expect(words(await stage.read('/jobs?state=dead&type=mail.send'))).toMatch(
      /50 jobs on this page, newest first, from .*byType.*: [\d.]+ read units\. Count all that match/,
    );
    expect(words(await stage.read('/jobs?state=dead&type=mail.send&count=1'))).toContain('60 match in all');
  });

  it('finds a text in payloads and keeps the filter in the address of every tab', async () => {
    const open = await openConsole({ admin: stage.world.admin, now: () => stage.world.kit.clock.now() });
    const { text } = await open.get('/jobs?text=m3&tenant=acme');
    await open.close();
    expect(words(text)).toContain('no such mailbox: m3 ');
    expect(text).toContain('href="/jobs?state=parked&amp;tenant=acme&amp;text=m3"');
    expect(text).toContain('nightcrew jobs list --tenant acme --text m3');
  });

  it('tells a tenant from a beginning of one and from none', async () => {
    expect(words(await stage.read('/jobs?state=dead&tenants=prefix&tenant=ac&count=1'))).toContain('60 match in all');
    expect(words(await stage.read('/jobs?state=dead&tenant=ac&count=1'))).toContain('0 match in all');
    expect(words(await stage.read('/jobs?state=dead&tenants=none&count=1'))).toContain('0 match in all');
    expect(words(await stage.read('/jobs?state=dead&tenant=acme&tenant=b&count=1'))).toContain('60 match in all');
  });

  it.each([
    '/jobs?from=yesterday',
    '/jobs?from=2026-02-01T00:00Z&to=2026-01-01T00:00Z',
    '/jobs?maxReadUnits=many',
    '/jobs?state=dead&after=stale',
    '/jobs?state=asleep',
    '/jobs?id=nothing',
    `/jobs?text=${'long-'.repeat(60)}`,
    '/jobs?type=%00%ff',
  ])('answers %s with a plain notice', async (path) => {
    const text = words(await stage.read(path));
    expect(text).toContain('This list cannot be shown');
  });

  it('says what an empty list means', async () => {
    expect(words(await stage.read('/jobs?state=finished&type=nobody'))).toContain('No job matches. Remove a field');
    expect(words(await stage.read('/jobs?state=ready&fingerprint=x'))).toContain('No job matches. Remove a field');
  });
});

describe('the page of a job', () => {
  it('explains every state first and offers what fits it', async () => {
    const buttons = {
      dead: 'Redrive…',
      running: 'Cancel…',
      waiting: 'Set due date…',
      suspended: 'Resume…',
      stopped: 'Resume…',
      parked: 'Set due date…',
      ready: 'Run now…',
    };
    for (const [name, label] of Object.entries(buttons)) {
      const text = await stage.read(`/jobs/${stage.world.ids[name as keyof typeof buttons]}`);
      const explanation = await stage.world.admin.explain(stage.world.ids[name as keyof typeof buttons]);
      expect(words(text)).toContain(explanation?.text.split(/\d{4}-/)[0]?.trim());
      expect(words(text)).toContain(label);
      expect(text.includes('Redrive…'), name).toBe(name === 'dead');
    }
    expect(words(await stage.read(`/jobs/${stage.world.ids.finished}`))).not.toContain('Cancel…');
  });

  it('shows a snooze as a step of its own', async () => {
    const text = words(await stage.read(`/jobs/${stage.world.ids.snoozed}`));
    expect(text).toMatch(/Attempt 1 snoozed .* Snoozed, 10 min .*Attempt 2 completed .* Ended as completed/);
  });

  it('hides fields by their name, wherever the payload is shown', async () => {
    const text = await stage.read(`/jobs/${stage.world.ids.dead}`);
    expect(text).not.toContain('hunter2');
    expect(text).toContain('&quot;password&quot;: &quot;[redacted]&quot;');
  });

  it('says so for an id that is none, and for one that is nowhere', async () => {
    expect(words(await stage.read('/jobs/abc', 404))).toContain('This is not a job id');
    expect(words(await stage.read('/jobs/019b76e4-ba20-7000-8000-0000ffffffff', 404))).toContain('There is no such job here');
    expect(words(await stage.read(`/jobs/${encodeURIComponent('<script>')}`, 404))).toContain('&lt;script&gt;');
  });

  it('gives the query for its log lines and the command for the terminal', async () => {
    const text = await stage.read(`/jobs/${stage.world.ids.dead}`);
    expect(text).toContain(`filter jobId = &quot;${stage.world.ids.dead}&quot;`);
    expect(text).toContain(`nightcrew explain ${stage.world.ids.dead}`);
  });
});

describe('a row that cannot be read', () => {
  it('is shown as it lay there, and can only be deleted', async () => {
    const found = await stage.world.admin.find(stage.world.ids.dead);
    const { payload: _payload, ...rest } = found ?? {};
    const unreadable = { ...rest, reason: 'unreadable', raw: `{"id":1,"x":"${HOSTILE}"}` } as NonNullable<typeof found>;
    const other = await openConsole({
      admin: { ...stage.world.admin, find: async () => unreadable },
      now: () => stage.world.kit.clock.now(),
    });
    const { status, text } = await other.get(`/jobs/${stage.world.ids.dead}`);
    await other.close();
    expect(status).toBe(200);
    expect(words(text)).toContain('The raw row');
    expect(text).toContain(String.raw`\u202e`);
    expect([...text.matchAll(/data-action="([^"]+)"/g)].map((match) => match[1])).toEqual(['delete']);
  });
});

describe('dead letters by error', () => {
  it('are one row a fault, and one page with everything that can be done to all of it', async () => {
    const list = await stage.read('/dead-letters');
    expect(words(list)).toContain('2 groups, at least 60 dead letters in them.');
    const { groups } = await stage.world.admin.errorGroups();
    const relay = groups.find(({ errorName }) => errorName === 'TypeError');
    const text = await stage.read(`/dead-letters/${relay?.fingerprint}`);
    expect(words(text)).toContain('open: 40');
    expect(text).toContain(`"query":"state=dead&fingerprint=${relay?.fingerprint}"`.replaceAll('"', '&quot;').replaceAll('&f', '&amp;f'));
    expect(words(text)).toContain('relay answered 451');
    expect(words(await stage.read('/dead-letters?type=nobody'))).toContain('No such group of type nobody.');
    expect(words(await stage.read('/dead-letters?state=closed'))).toContain('No error group yet');
  });

  it('answer stale cursors and unknown fingerprints plainly', async () => {
    expect(words(await stage.read('/dead-letters?after=stale'))).toContain('This list cannot be shown');
    expect(words(await stage.read('/dead-letters/nothing', 404))).toContain('There is no such error group');
    expect(words(await stage.read(`/dead-letters/${'x'.repeat(3_000)}`, 404))).toContain('There is no such error group');
  });
});

describe('a list of jobs that cannot be shown', () => {
  it('keeps what was typed in sight', async () => {
    const text = await stage.read('/jobs?type=mail.send&from=yesterday');
    expect(words(text)).toContain('This list cannot be shown');
    expect(text).toMatch(/<details id="more-filters" open>[\s\S]*name="from" value="yesterday"/);
    expect(text).toContain('value="mail.send"');
  });
});

describe('the title of a page', () => {
  it('says which job or error it is about, so that tabs can be told apart', async () => {
    const title = async (path: string): Promise<string> => /<title>([^<]*)<\/title>/.exec(await stage.read(path))?.[1] ?? '';
    expect(await title(`/jobs/${stage.world.ids.dead}`)).toContain(`mail.send …${stage.world.ids.dead.slice(-12)} - Job`);
    const [group] = (await stage.world.admin.errorGroups()).groups;
    expect(await title(`/dead-letters/${group?.fingerprint}`)).toContain(`${group?.errorName} in mail.send - Error group`);
  });
});

describe('a landmark of a page', () => {
  it('has a name of its own', async () => {
    for (const path of ['/jobs', '/find?q=x']) {
      const names = [...(await stage.read(path)).matchAll(/role="search"(?: aria-label="([^"]+)")?/g)].map((match) => match[1]);
      expect(names).toHaveLength(2);
      expect(new Set(names).size).toBe(2);
    }
  });
});

describe('a text with invisible characters', () => {
  it('shows them wherever it stands, and is sent again as it was', async () => {
    const text = words(await stage.read(`/find?q=${encodeURIComponent('acme\u200b\u{e0041}')}`));
    expect(text).toContain(String.raw`Jobs of tenant acme\u200b\udb40\udc41`);
    expect(await stage.read(`/jobs?tenant=${encodeURIComponent('acme\u200b')}`)).toContain('value="acme\u200b"');
  });
});

describe('the search box', () => {
  it('goes to the job that an id names, and offers lists for a text', async () => {
    expect((await stage.page.get(`/find?q=%20${stage.world.ids.dead.toUpperCase()}`)).location).toBe(`/jobs/${stage.world.ids.dead}`);
    const text = await stage.read(`/find?q=${encodeURIComponent(HOSTILE)}`);
    expect(text).not.toContain('<script>alert');
    expect(words(await stage.read('/find?q=019b76e4-ba20-7000-8000-0000ffffffff'))).toContain('no job with this id');
    await stage.read('/find');
  });
});

describe('users’ texts', () => {
  it('stay texts on every page, in tables, attributes, forms and addresses', async () => {
    const paths = [
      '/jobs',
      '/jobs?state=dead',
      '/dead-letters',
      `/jobs/${stage.world.ids.waiting}`,
      `/jobs/${stage.world.ids.dead}`,
      `/jobs?tenant=${encodeURIComponent(HOSTILE)}&text=${encodeURIComponent(HOSTILE)}&type=${encodeURIComponent(HOSTILE)}`,
      `/dead-letters?type=${encodeURIComponent(HOSTILE)}`,
    ];
    for (const path of paths) {
      const { text } = await stage.page.get(path);
      expect(text, path).not.toContain('<script>alert');
      expect(text, path).not.toContain('<img src=x');
      expect([...text.matchAll(/href="([^"]*)"/g)].every(([, to]) => to?.startsWith('/') || to?.startsWith('#') || to === '')).toBe(true);
    }
  });
});

describe('the commands for the terminal', () => {
  it('are commands of the CLI, with options that they take', async () => {
    const { groups } = await stage.world.admin.errorGroups();
    const everything =
      'state=dead&id=a&type=a&group=g&correlationId=c&batch=b&schedule=s&worker=w&lane=l&errorName=e&reason=r&from=2h&to=1h&text=t';
    const paths = [
      '/jobs?tenants=none',
      '/jobs?tenants=prefix&tenant=a',
      '/jobs?state=suspended&cause=breakpoint&tenant=a',
      '/jobs?state=finished&outcome=completed',
      `/jobs?${everything}`,
      '/dead-letters?type=a',
      `/dead-letters/${groups[0]?.fingerprint}`,
      `/jobs/${stage.world.ids.dead}`,
      '/bulks',
    ];
    let seen = 0;
    for (const path of paths) {
      const text = await stage.read(path);
      for (const [, line] of text.matchAll(/<code>nightcrew ([^<]*)<\/code>/g)) {
        const [name, ...args] = (line ?? '').split(' ');
        const command = COMMANDS.find((known) => known.name === name);
        const usage = command?.usageOf?.(args) ?? '';
        expect(usage, line).not.toBe('');
        for (const flag of args.filter((arg) => arg.startsWith('--'))) expect(usage, `${line}: ${flag}`).toContain(`${flag} `);
        seen++;
      }
    }
    expect(seen).toBeGreaterThanOrEqual(paths.length);
  });
});
