import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../cli/commands.ts';
import { verbCommandWords } from '../../cli/jobs/verb-commands.ts';
import { flagsOf } from '../../cli/verb-command.ts';
import { ACTIONS } from '../../console/actions.ts';
import { bulkToolbar } from '../../console/jobs/bulk-toolbar.ts';
import { jobButtons } from '../../console/jobs/job-buttons.ts';
import { scheduleButtons } from '../../console/parts/schedule-parts.ts';
import type { Session } from '../../console/page.ts';
import { adminDoc } from '../../scripts/generate-verb-table.ts';
import type { JobView } from '../../operate/jobs/job-view.ts';
import { SCHEDULE_VERBS } from '../../operate/schedule-verbs.ts';
import { JOB_VERBS } from '../../operate/verbs.ts';
import type { JobVerb } from '../../operate/verbs/verb.ts';
import type { JobState } from '../../shared/job/job.ts';
import { fromRoot, sourceFiles } from './source-files.ts';

const verbs: readonly JobVerb[] = JOB_VERBS;
const STATES: readonly JobState[] = ['waiting', 'parked', 'ready', 'running', 'suspended', 'dead', 'finished'];
const session = { write: true, zone: 'UTC', place: { name: 'local', production: false } } as Session;
const page = readFileSync(fromRoot('docs/operate/admin.md'), 'utf8');

/** The commands whose verb of that name has the flags of its arguments; one that widens the states is in the command for all states alone. */
function commandsOf({ name, command, arguments: given = [] }: JobVerb): readonly string[] {
  const flags = given.flatMap(({ flag, noneFlag, widens }) => [flag, ...(noneFlag ? [noneFlag] : [])].map((one) => ({ one, widens })));
  return COMMANDS.filter(({ name: of, verbs: typed = [] }) => {
    const verb = typed.find((one) => one.name === name && one.summary === command.summary);
    return verb !== undefined && flags.every(({ one, widens }) => flagsOf(verb).includes(one) === (of === 'jobs' || widens !== true));
  }).map((one) => one.name);
}

/** The states of a job in which its page has the button of a verb. */
async function buttonStates({ button }: JobVerb): Promise<readonly JobState[]> {
  const pages = await Promise.all(
    STATES.map(async (state) => ({ state, html: String(await jobButtons(session, { id: 'a', state } as JobView)) })),
  );
  return pages.filter(({ html }) => html.includes(`data-action="${button.action}"`)).map(({ state }) => state);
}

/** The states whose list has the button of a verb for many jobs. */
async function toolbarStates({ name }: JobVerb): Promise<readonly JobState[]> {
  const shown = { table: 'jobs', rows: 1, more: false };
  const pages = await Promise.all(STATES.map(async (state) => ({ state, html: String(await bulkToolbar(session, { state }, shown)) })));
  return pages.filter(({ html }) => html.includes(`&quot;verb&quot;:&quot;${name}&quot;`)).map(({ state }) => state);
}

describe('every verb for jobs', () => {
  test.each(verbs)('$name is in the commands that it names, with the flags of its arguments', (verb) => {
    expect(commandsOf(verb).toSorted()).toEqual(Object.keys(verb.command.of).toSorted());
    expect(commandsOf(verb)).not.toEqual([]);
  });

  test.each(verbs)('$name has a hint that the command line itself takes', (verb) => {
    const [command, name] =
      verbCommandWords(verb.method, { id: 'a', state: 'dead' }) ?? verbCommandWords(verb.name, { id: 'a', state: 'dead' }) ?? [];
    expect(name).toBe(verb.name);
    expect(commandsOf(verb)).toContain(command);
  });

  test.each(verbs)('$name has a button for one job and one for many where its states say so, and an action behind it', async (verb) => {
    const states = STATES.filter((state) => (verb.means ?? verb.acts).includes(state));
    expect(await buttonStates(verb)).toEqual(states);
    expect(await toolbarStates(verb)).toEqual(states);
    expect(ACTIONS.filter(({ name }) => name === verb.button.action)).toHaveLength(1);
  });

  test.each(verbs)('$name has a place of its own among buttons and in the help of each command', (verb) => {
    const others = verbs.filter((one) => one !== verb);
    expect(others.map(({ button }) => button.place)).not.toContain(verb.button.place);
    for (const [command, place] of Object.entries(verb.command.of)) {
      expect(others.map((one) => one.command.of[command as keyof typeof one.command.of])).not.toContain(place);
    }
  });

  test.each(verbs)('$name has a line in docs/operate/admin.md', ({ name, command, method }) => {
    expect(page).toMatch(new RegExp(`^\\| \`${name}\`.*\\| ${command.summary} \\|.*\\| \`${method}\` \\|$`, 'm'));
  });

  test.each(verbs)('$name says of every field how both dialogs name it, by one name', ({ arguments: given = [] }) => {
    for (const { asked } of given) expect(asked?.many.name).toBe(asked?.one.name);
  });

  test.each(STATES)('the table in docs/operate/admin.md offers for %s only verbs that act on it', (state) => {
    const [remove = '', keep = ''] = new RegExp(`^\\| ${state} \\| (.*?) \\|(.*?)\\|$`, 'm').exec(page)?.slice(1) ?? [];
    const offered = (cell: string): readonly string[] => [...cell.matchAll(/`([a-z-]+)`/g)].map(([, name = '']) => name);
    const meant = (name: string): boolean => verbs.some((verb) => verb.name === name && (verb.means ?? verb.acts).includes(state));
    expect(offered(remove).filter(meant)).toEqual(offered(remove).filter((name) => verbs.some((verb) => verb.name === name)));
    expect(['cancel', 'delete'].filter(meant)).toEqual(offered(remove).filter(meant));
    expect(['bury', 'suspend'].filter(meant)).toEqual(offered(keep).filter(meant));
  });

  test('the table in docs/operate/admin.md is what the registry says (npm run docs writes it)', () => expect(page).toBe(adminDoc(page)));
});

describe('every verb for schedules', () => {
  const schedules = COMMANDS.find(({ name }) => name === 'schedules')?.verbs ?? [];
  const paused = { at: new Date(0) };

  test.each(SCHEDULE_VERBS)(
    '$name is in its command, and has an action behind its button where that can change something',
    async (verb) => {
      expect(schedules.filter(({ name, summary }) => name === verb.name && summary === verb.summary)).toHaveLength(1);
      expect(ACTIONS.filter(({ name }) => name === `schedule-${verb.name}`)).toHaveLength(1);
      for (const state of [{}, { paused }]) {
        const html = String(await scheduleButtons(session, { name: 'nightly', ...state }));
        expect(html.includes(`data-action="schedule-${verb.name}"`)).toBe(verb.acts(state));
      }
    },
  );

  test.each(SCHEDULE_VERBS)(
    '$name is named in four files of the product, beside advice: those that write it, offer it to code, audit it and show it',
    ({ name }) => {
      const method = name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
      const names = new RegExp(
        `\\bschedules\\.${method}\\b|'schedule-${name}'|\\b${method}Schedule\\b|^ +(?:async )?${method}(?:\\(name|: async \\(name)`,
        'm',
      );
      const paths = sourceFiles().flatMap(({ path, text }) =>
        CODE.test(path) && !path.startsWith('operate/explain/') && names.test(text) ? [path] : [],
      );
      expect(paths).toContain('operate/schedule-verbs.ts');
      expect(paths.length, paths.join('\n')).toBeLessThanOrEqual(4);
    },
  );
});

/**
 * What may name several verbs: the registry; the advice of an explanation, which depends on the job; the transitions of a job, which are the
 * client's too; and the page about options, which says where each type of options is used.
 */
const MAY_NAME = /^(operate\/(verbs\.ts|verbs\/|explain\/)|shared\/job\/transitions\.ts|scripts\/generate-options-doc\.ts)/;
const CODE = /^(shared|functions|operate|testing|cli|console|local|infra|scripts)\//;
/** A file may name one or two for what they are: the retry after an edit, the deletion of a damaged row. */
const MOST_NAMED = 2;

/** The verbs that a file names in code, as a text, a case, or a line of a table. */
function named(text: string): readonly string[] {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  return verbs
    .filter(({ name, method }) =>
      [name, method].some((word) => new RegExp(`['"]${word}['"]|^\\s*['"]?${word}['"]?: [\\[{'"]|case '${word}'`, 'm').test(code)),
    )
    .map(({ name }) => name);
}

test('no file outside the registry has a list of verbs', () => {
  const files = sourceFiles().filter(({ path }) => CODE.test(path) && !MAY_NAME.test(path));
  expect(files.length).toBeGreaterThan(300);
  expect(files.map(({ path, text }) => ({ path, verbs: named(text) })).filter((file) => file.verbs.length > MOST_NAMED)).toEqual([]);
});

test('a list of verbs is seen wherever it stands', () => {
  expect(named("const A = ['redrive', 'delete', 'run-now'];")).toEqual(['redrive', 'delete', 'run-now']);
  expect(named("switch (verb) {\n  case 'cancel':\n  case 'suspend':\n}")).toEqual(['cancel', 'suspend']);
  expect(named("const A = {\n  redrive: ['a'],\n  setRetries: { b: 2 },\n};")).toEqual(['redrive', 'set-retries']);
  expect(named("// 'redrive', 'delete'\n/* 'run-now' */")).toEqual([]);
});
