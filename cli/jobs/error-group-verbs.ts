import type { ErrorGroup, ErrorGroupPage } from '../../shared/features/error-groups/admin/error-group.ts';
import { commandLine } from '../command-line.ts';
import type { OpenDeployment } from '../deployments/open-deployment.ts';
import { showFound, showList } from '../each-deployment.ts';
import type { Show } from '../show.ts';
import { plain } from '../text/plain.ts';
import type { Sheet } from '../text/table.ts';
import type { Verb } from '../verb.ts';
import { counted } from './read-jobs.ts';

/** `groups`: incidents, those that were seen last first. */
export const groupsVerb: Verb = {
  name: 'groups',
  summary: 'dead letters grouped by error: one line for each error, last seen first',
  flags: [
    { flags: '--state <state>', doc: 'default: open, those that still have dead letters', choices: ['open', 'closed', 'all'] },
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
  return {
    columns: [
      { head: 'FINGERPRINT' },
      { head: 'OPEN', right: true },
      { head: 'SEEN', right: true, drops: 2 },
      { head: 'LAST SEEN', drops: 1 },
      { head: 'TYPE', gives: true },
      { head: 'ERROR', gives: true, least: 28 },
    ],
    rows: groups.map((group) => [
      group.fingerprint,
      { text: atLeast(group.open), style: group.state === 'open' ? 'bad' : 'quiet' },
      atLeast(group.seen),
      show.age(group.lastSeen),
      group.type,
      `${group.errorName}: ${group.message}`,
    ]),
    empty: next === undefined ? 'No error group.' : 'Nothing so far; not everything was looked at.',
    notes: [
      `${groups.length === 0 ? '' : '≥: at least so many, group <fingerprint> counts. '}${readUnits} read units.${next === undefined ? '' : ` More: --after ${next}`}`,
    ],
  };
}

/** `group`: one fault, with what can be done. */
export const groupVerb: Verb = {
  name: 'group',
  summary: 'one error group, with its dead letters counted',
  argument: { text: '<fingerprint>', doc: 'fingerprint of the group, as shown by groups and show' },
  run: async (call) => {
    const [fingerprint = ''] = call.args;
    return showFound(call, async ({ admin }) => admin.errorGroup(fingerprint), {
      missing: `No error group ${plain(fingerprint)}.`,
      tell: (group, deployment) => tellGroup(group, call.show, deployment),
    });
  },
};

/** Executors tell what they have summed up with a delay, so there may be more; `group` counts. */
function atLeast(count: number): string {
  return count === 0 ? '0' : `≥${counted(count)}`;
}

function tellGroup(group: ErrorGroup, show: Show, deployment: OpenDeployment): void {
  show.line(`${plain(group.fingerprint)}  ${show.paint(group.state === 'open' ? 'bad' : 'good', group.state)}`);
  show.line(`  ${plain(group.type)}: ${plain(group.errorName)}: ${plain(group.message)}`);
  if (group.frame !== undefined) show.line(`  at ${plain(group.frame)}`);
  show.line(
    `  ${counted(group.open)} open; seen ${atLeast(group.seen)}, redriven ${atLeast(group.redriven)}, deleted ${atLeast(group.deleted)}`,
  );
  show.line(`  first seen ${show.time(group.firstSeen)}, last ${show.time(group.lastSeen)}`);
  show.line(`  sample: ${commandLine(deployment, 'dead-letters', 'show', group.sample)}`);
  show.line(`  redrive all: ${commandLine(deployment, 'dead-letters', 'redrive', '--fingerprint', group.fingerprint, '--canary')}`);
}
