import type { ErrorGroup, ErrorGroupPage } from '../../shared/features/error-groups/admin/error-group.ts';
import { commandLine } from '../command-line.ts';
import type { OpenDeployment } from '../deployments/open-deployment.ts';
import { showFound, showList } from '../each-deployment.ts';
import type { Show } from '../show.ts';
import { plain } from '../text/plain.ts';
import { listSheet, type Sheet } from '../text/table.ts';
import type { Verb } from '../verb.ts';
import { counted } from './read-jobs.ts';

/** `groups`: error groups, those that were seen last first. */
export const groupsVerb: Verb = {
  name: 'groups',
  summary: 'dead letters grouped by error: one line for each error, in a page those last seen first',
  flags: [
    {
      flags: '--state <state>',
      doc: 'default: open, those with dead letters that are neither ignored nor resolved',
      choices: ['open', 'ignored', 'resolved', 'closed', 'all'],
    },
    { flags: '--type <type>', doc: 'of jobs of this type' },
    { flags: '--limit <n>', doc: 'groups in a page' },
    { flags: '--after <cursor>', doc: 'continues after an earlier page' },
  ],
  run: async (call) => {
    const given = { state: call.text('state'), type: call.text('type'), limit: call.whole('limit'), after: call.text('after') };
    const options = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    return showList(
      call,
      async ({ admin }) => admin.errorGroups(options),
      (page) => groupSheet(page, call.show),
    );
  },
};

function groupSheet({ groups, next, readUnits }: ErrorGroupPage, show: Show): Sheet {
  return listSheet(
    groups,
    [
      { head: 'FINGERPRINT', cell: (group) => group.fingerprint },
      { head: 'OPEN', right: true, cell: (group) => ({ text: atLeast(group.open), style: group.state === 'open' ? 'bad' : 'quiet' }) },
      { head: 'SEEN', right: true, drops: 2, cell: (group) => atLeast(group.seen) },
      { head: 'LAST SEEN', drops: 1, cell: (group) => show.age(group.lastSeen) },
      { head: 'TYPE', gives: true, cell: (group) => group.type },
      { head: 'OWNER', gives: true, drops: 3, cell: (group) => group.owner ?? '' },
      { head: 'ERROR', gives: true, least: 28, cell: (group) => `${standing(group)}${group.errorName}: ${group.message}` },
    ],
    next === undefined ? 'No error group.' : 'Nothing so far; not everything was looked at.',
    [
      `${groups.length === 0 ? '' : '≥: a lower bound; group <fingerprint> counts. '}${readUnits} read units.${next === undefined ? '' : ` More: --after ${next}`}`,
    ],
  );
}

/** What operators said about it, unless it is plainly open or closed. */
function standing({ state, cameBack }: ErrorGroup): string {
  if (state === 'ignored' || state === 'resolved') return `[${state}] `;
  return state === 'open' && cameBack === true ? '[came back] ' : '';
}

/** `group`: one error group, with the commands for it. */
export const groupVerb: Verb = {
  name: 'group',
  summary: 'one error group, with its dead letters counted up to 10,000',
  argument: { text: '<fingerprint>', doc: 'fingerprint of the group, as shown by groups and show' },
  run: async (call) => {
    const [fingerprint = ''] = call.args;
    return showFound(call, async ({ admin }) => admin.errorGroup(fingerprint), {
      missing: `No error group ${plain(fingerprint)}.`,
      tell: (group, deployment) => tellGroup(group, call.show, deployment),
    });
  },
};

/** Executors write their counts with a delay, so there may be more; `group` counts. */
function atLeast(count: number): string {
  return count === 0 ? '0' : `≥${counted(count)}`;
}

function tellGroup(group: ErrorGroup, show: Show, deployment: OpenDeployment): void {
  show.line(`${plain(group.fingerprint)}  ${show.paint(group.state === 'open' ? 'bad' : 'good', group.state)}`);
  show.line(`  ${plain(group.type)}: ${plain(group.errorName)}: ${plain(group.message)}`);
  if (group.frame !== undefined) show.line(`  at ${plain(group.frame)}`);
  if (group.owner !== undefined) show.line(`  owner: ${plain(group.owner)}`);
  if (group.note !== undefined) show.line(`  note: ${plain(group.note)}`);
  if (group.state === 'ignored' && group.ignoredUntil !== undefined) show.line(`  ignored until ${show.time(group.ignoredUntil)}`);
  if (group.resolvedAt !== undefined) {
    const back = group.cameBack === true ? '; it came back after that' : '';
    show.line(`  resolved ${show.time(group.resolvedAt)} by ${plain(group.resolvedBy ?? '')}${back}`);
  }
  show.line(
    `  ${counted(group.open)} open; seen ${atLeast(group.seen)}, redriven ${atLeast(group.redriven)}, deleted ${atLeast(group.deleted)}`,
  );
  show.line(`  first seen ${show.time(group.firstSeen)}, last ${show.time(group.lastSeen)}`);
  show.line(`  sample: ${commandLine(deployment, 'dead-letters', 'show', group.sample)}`);
  show.line(`  redrive all: ${commandLine(deployment, 'dead-letters', 'redrive', '--fingerprint', group.fingerprint, '--canary')}`);
}
