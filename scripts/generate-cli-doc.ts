/** `docs/reference/cli.md`, from the command definitions; a test fails when they differ. */
import { EXIT } from '../cli/exit.ts';
import { COMMANDS } from '../cli/commands.ts';
import { COMMON_FLAGS, PLACE_FLAGS, WRITE_FLAGS } from '../cli/common-flags.ts';
import { ALL_FLAG } from '../cli/jobs/action-verb.ts';
import { BULK_FLAGS } from '../cli/jobs/bulk.ts';
import { filterFlags } from '../cli/jobs/filter-flags.ts';
import { LIST_FLAGS } from '../cli/jobs/read-jobs.ts';
import { pathOf } from '../cli/verb-command.ts';
import { type Flag, flagDoc, type Verb } from '../cli/verb.ts';

const INTRO = `# The command line

Generated from the command definitions in \`cli/\`; do not edit.

\`nightcrew\` comes with the package and uses AWS credentials of yours, so IAM decides what you may do ([operator permissions](../operate/operator-access.md)). \`nightcrew console\` alone opens a port. Run it where the package is installed, as \`npx --no -- nightcrew\` or from a script of package.json.

\`\`\`sh
nightcrew doctor --stack shop                       # checks the deployment, and says how to fix each fault
nightcrew dead-letters groups --stack shop          # dead letters, one line for each error
nightcrew explain <id> --stack shop                 # why is this job where it is, and what happens next
nightcrew dead-letters edit <id> --payload @fixed.json --redrive --stack shop
nightcrew dead-letters redrive --fingerprint <fingerprint> --canary --rate 20 --stack shop
\`\`\`

## Which deployment

Select it by one of these:

- \`--stack <stack>\`: the CloudFormation stack. Its output \`Operator\` names the tables and queues. Use \`<stack>/<construct>\` if a stack has several deployments. This needs the package \`@aws-sdk/client-cloudformation\` and the permission \`cloudformation:DescribeStacks\`.
- \`--env-file <file>\`: a file with the \`NIGHTCREW_\` variables that \`connectOperator(fn)\` gives a function. It may also hold \`AWS_REGION\`, \`AWS_ENDPOINT_URL_...\` and keys for the tables and queues; all other credentials are those of the process. If the file does not exist, Node itself ends with exit code 9.
- nothing: the environment of the process.

Give several to compare deployments: lists get a column, JSON becomes an object by name, and \`--sum\` adds up \`count\` and \`stats throughput\`. Commands that change something take one, as do \`console\` and the \`--after\` of lists of jobs, \`attempts\` and \`events\`.

## Output

Lists are tables. In a terminal they are coloured, unless \`--no-color\` or \`NO_COLOR\` is given, and shortened to its width as far as possible. \`--json\` prints one JSON document for scripts on standard output: an object, with lists by name, as in \`{"jobs":[...],"next":"..."}\`. \`show\` prints \`null\` for what does not exist. Errors, questions and progress go to standard error. Control characters and direction marks in texts of jobs are escaped (\`\\u001b\`), so that a payload cannot control your terminal.

Times on the command line: \`now\`, \`2h\`, \`30m\`, \`3d\` (back for \`--from\`, \`--to\` and others of the past, ahead for \`--at\` and \`--until\` and for \`--from\` of \`suspensions begin\` and of \`schedules preview\`, \`edit\` and \`put\`; \`-2h\` and \`+2h\` are explicit), \`PT2H\`, a day (its start in UTC), or ISO-8601 with an offset.

## Changing many jobs

A verb that changes jobs takes ids or a filter (\`edit\` takes one id), or in a command for one state, such as \`timers\`, \`--all\` for all jobs in that state. Giving none of these is refused, and so is an empty value, such as a shell variable that was never set. [A table](../operate/admin.md#bulk-actions) says on which states a verb acts, and which of them a filter without \`--state\` means. Ids in other states, or in another than that of the command, are left alone: it says so and exits with ${EXIT.lost}. With a filter it first counts the jobs. If any match, it prints what it will do in which deployment, account and Region, and waits until you type their number. \`--yes\` skips the question; without it and without a terminal nothing is written, and the exit code is ${EXIT.usage}. Ctrl-C then stops it after the jobs that are being changed, and it prints the command that continues. \`--canary\` waits at most 5 minutes until its job has completed, or with \`history: 'off'\` until it is gone. Jobs that have changed by then are left alone and counted.

## Exit codes

| code | meaning |
| ---- | ------- |
`;

const CODES: Readonly<Record<keyof typeof EXIT, string>> = {
  done: 'done',
  failed:
    'it failed, for example because the store or another service did not answer or refused, an action on a job failed, a canary did not complete, or a check of the doctor failed',
  usage: 'arguments or environment are wrong, or the action was not confirmed: nothing was written',
  lost: 'the job or another named thing does not exist, is not in a suitable state, or is now held by another process: it was left alone. Also: `erase` left jobs that are not finished, or `reconcile --apply` left findings',
  cancelled: '`external` only: a cancel of the job was requested',
  stopped: 'stopped by Ctrl-C, with more to do',
};

const OUTRO = `
## Limits

Lists and counts of jobs read an index or a sort key, or scan a table. Lists show which, and their read units; a count says so when \`--max-read-units\` cut it off. \`doctor\` changes nothing. Except through a schedule, no command enqueues a job that you describe: group, key, priority, expiry and encoded payload come from the job type, which is code. Call \`enqueue\` in a script. A local region needs the repository (\`nightcrew dev\` says how): the package contains no emulators.
`;

/** The page about the command line. */
export function cliDoc(): string {
  const codes = (Object.keys(EXIT) as (keyof typeof EXIT)[]).map((name) => `| ${EXIT[name]} | ${CODES[name]} |`);
  return [
    `${INTRO}${codes.join('\n')}\n`,
    `## Options of every command\n\n\`cost\` and \`dev\` take no deployment, and \`external\` has options of its own. Commands that change something, and \`console\`, take \`--actor\`.\n\n${flagList([...PLACE_FLAGS, ...WRITE_FLAGS, ...COMMON_FLAGS])}\n`,
    `## Filters\n\nThe same for lists, counts and changes of jobs; \`timers\`, \`suspended\` and \`dead-letters\` are about one state and have no \`--state\`. Several values of an option that takes them mean any of these; several options mean all of them, but \`--or\`. \`--reason\` is the reason for your action; \`--of-reason\` filters by the reason of a job.\n\n${flagList(filterFlags())}\n`,
    `## Options of lists of jobs\n\nAfter Ctrl-C, \`--all\` stops after its page and prints the \`--after\` that continues.\n\n${flagList(LIST_FLAGS)}\n`,
    `## Options of changes by filter\n\n${flagList(BULK_FLAGS)}\n`,
    '## Commands\n',
    ...COMMANDS.map(({ name, summary, verbs }) => commandSection(name, summary, verbs)),
  ]
    .join('\n')
    .concat(OUTRO);
}

function commandSection(name: string, summary: string, verbs: readonly Verb[] | undefined): string {
  // A command whose only verb says the same needs no second sentence.
  const heading = verbs?.[0]?.summary === summary ? `### ${name}\n` : `### ${name}\n\n${capital(summary)}.\n`;
  return verbs === undefined
    ? `${heading}\nSee [workers-outside-lambda.md](../guides/workers-outside-lambda.md).\n`
    : `${heading}\n${verbs.map((verb) => verbText(name, verb)).join('\n')}\n`;
}

/** Only a filter has this option. */
const FILTER_MARK = '--correlation-id <id>';

function verbText(command: string, verb: Verb): string {
  const own = ownFlags(verb);
  const argument = verb.argument === undefined ? '' : ` ${verb.argument.text}`;
  const takes = isFiltered(verb) ? `${argument} [filter]` : argument;
  const line = `- \`nightcrew ${pathOf(command, verb)}${takes}\`:`;
  if (command !== 'jobs' && isVerbOfJobs(verb)) return `${line} as \`jobs ${verb.name}\``;
  const summary = `${verb.summary}${verb.byDefault === true ? ' (the default)' : ''}`;
  return [`${line} ${summary}`, ...own.map((flag) => `  - \`${flag.flags}\`: ${flagDoc(flag)}`)].join('\n');
}

const isFiltered = ({ flags = [] }: Verb): boolean => flags.some((flag) => flag.flags === FILTER_MARK);

/** The options of a verb that no list of options has. */
function ownFlags(verb: Verb): readonly Flag[] {
  const { flags = [] } = verb;
  const told = new Set([...filterFlags(), ...LIST_FLAGS, ...BULK_FLAGS, ALL_FLAG].map(({ doc }) => doc));
  return isFiltered(verb) ? flags.filter(({ doc }) => !told.has(doc)) : flags;
}

/** Whether `jobs` has the same verb with the same options. */
function isVerbOfJobs(verb: Verb): verb is Verb & { readonly name: string } {
  const other = COMMANDS.find(({ name }) => name === 'jobs')?.verbs?.find(({ name }) => name === verb.name);
  return other?.summary === verb.summary && flagList(ownFlags(other)) === flagList(ownFlags(verb));
}

function flagList(flags: readonly Flag[]): string {
  return flags.map((flag) => `- \`${flag.flags}\`: ${flagDoc(flag)}`).join('\n');
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
