/** `docs/reference/cli.md`, from the command definitions; a test fails when they differ. */
import { EXIT } from '../cli/exit.ts';
import { COMMANDS } from '../cli/commands.ts';
import { COMMON_FLAGS, PLACE_FLAGS, WRITE_FLAGS } from '../cli/common-flags.ts';
import { BULK_FLAGS } from '../cli/jobs/bulk.ts';
import { filterFlags } from '../cli/jobs/filter-flags.ts';
import { pathOf } from '../cli/verb-command.ts';
import type { Flag, Verb } from '../cli/verb.ts';

const INTRO = `# The command line

Generated from the command definitions in \`cli/\`; do not edit.

\`nightcrew\` comes with the package and works with your own AWS credentials: what you may do is what IAM lets you do ([operator-access.md](../operate/operator-access.md)). It keeps nothing and listens nowhere, but for \`nightcrew console\`. Run it where the package is installed, as \`npx --no -- nightcrew\` or from a script of package.json; \`nightcrew completion\` prints what completes it in bash, zsh and fish.

\`\`\`sh
nightcrew doctor --stack shop                       # is everything in order, and if not, what mends it
nightcrew dead-letters groups --stack shop          # what fails, one line for each fault
nightcrew explain <id> --stack shop                 # why is this job where it is, what happens next
nightcrew dead-letters edit <id> --payload @fixed.json --redrive --stack shop
nightcrew dead-letters redrive --fingerprint <fingerprint> --canary --rate 20 --stack shop
\`\`\`

## Which deployment

One of these says it:

- \`--stack <stack>\`: the CloudFormation stack. Its output \`Operator\` holds everything; \`<stack>/<construct>\` where a stack has several deployments. It needs \`@aws-sdk/client-cloudformation\` beside the package, and \`cloudformation:DescribeStacks\`.
- \`--env-file <file>\`: a file with the \`NIGHTCREW_\` variables that \`connect(fn)\` gives a function. It may also hold \`AWS_REGION\`, \`AWS_ENDPOINT_URL_...\` and keys; without keys the credentials are those of the process. Node looks at the file before the installed command does, and ends with 9 if it is not there.
- nothing: the environment of the process.

Give several to look at deployments side by side: lists get a column, JSON an object by name, \`--sum\` adds up counts and statistics. What changes something takes exactly one.

## Output

People get tables, cut to the width of the terminal and coloured (not with \`--no-color\`, \`NO_COLOR\` or in a pipe), with times as ages or in \`--zone\`. \`--json\` gives scripts one JSON document on the standard output: dates in ISO-8601, numbers exact, always an object, a list by its name in it, as in \`{"jobs":[...],"next":"..."}\`, and \`null\` for what is nowhere. Messages, questions and progress go to the standard error. What users wrote is shown with control characters and turns of writing direction spelled out (\`\\u001b\`), so that a payload cannot steer your terminal.

Times on the command line: \`2h\`, \`30m\`, \`3d\` (back for \`--from\` and \`--to\`, ahead for \`--at\` and \`--until\`; \`-2h\` and \`+2h\` say it), \`PT2H\`, a day in UTC, or ISO-8601 with an offset.

## Changing many jobs

A verb that changes jobs takes ids, or a filter. Neither is refused, and so is an empty value, such as a variable that was never set: everything of a state is \`--all\`. A command that is about one state, such as \`timers\`, leaves ids in other states alone. Each id that was left alone is named, and the exit code is ${EXIT.lost}. With a filter it first counts (a dry run: nothing is written), says what is going to happen in which deployment, account and region, and waits until you type the number. \`--yes\` leaves the question out. Without \`--yes\` and without a terminal it writes nothing and ends with ${EXIT.usage}. \`--canary\` tries one job and waits until it has completed. Ctrl-C stops before the next job (a list with \`--all\` after its page) and prints the command that goes on; \`nightcrew bulks\` lists what was begun. Each job is changed by one conditional write or transaction, so a job that moves meanwhile is left alone and counted, never half changed. Who did what is in \`nightcrew audit\` for 400 days.

## Exit codes

| code | meaning |
| ---- | ------- |
`;

const CODES: Readonly<Record<keyof typeof EXIT, string>> = {
  done: 'done',
  failed: 'the store did not answer or refused, a job failed, or a check of the doctor failed',
  usage: 'arguments or environment are wrong, or nobody confirmed: nothing was written',
  lost: 'the job is not there or not in a state for it, or somebody else decides about it: it was left alone',
  cancelled: '`external` alone: somebody asked for the job to be cancelled',
  stopped: 'Ctrl-C: stopped after a page, and what goes on was printed',
};

const OUTRO = `
## Limits

Lists and counts read what an index or a sort key serves, or scan: they say which, and what it cost in read units. \`--max-read-units\` bounds a page (default 1,000) and a count (10,000); a count that was cut off says so. \`doctor\` describes and never changes; of a worker's own settings it knows \`executorTimeout\`, from \`--stack\` or \`connectOperator(fn)\`, so that a shorter visibility timeout than those ask for is a warning. A region on one machine needs the repository (\`nightcrew dev\` says how): the package carries no emulators.
`;

/** The page about the command line. */
export function cliDoc(): string {
  const codes = (Object.keys(EXIT) as (keyof typeof EXIT)[]).map((name) => `| ${EXIT[name]} | ${CODES[name]} |`);
  return [
    `${INTRO}${codes.join('\n')}\n`,
    `## Options of every command\n\n${flagList([...PLACE_FLAGS, ...WRITE_FLAGS, ...COMMON_FLAGS])}\n`,
    `## Filters\n\nThe same for lists, counts and changes; several values of one option mean any of them, several options all of them. \`--reason\` says why something is done; the reason of a job is \`--of-reason\`.\n\n${flagList(filterFlags())}\n`,
    `## Options of changes by filter\n\n${flagList(BULK_FLAGS)}\n`,
    '## Commands\n',
    ...COMMANDS.map(({ name, summary, verbs }) => commandSection(name, summary, verbs)),
  ]
    .join('\n')
    .concat(OUTRO);
}

function commandSection(name: string, summary: string, verbs: readonly Verb[] | undefined): string {
  const heading = `### ${name}\n\n${capital(summary)}.\n`;
  return verbs === undefined
    ? `${heading}\nIts own page: [workers-outside-lambda.md](../guides/workers-outside-lambda.md).\n`
    : `${heading}\n${verbs.map((verb) => verbText(name, verb)).join('\n')}\n`;
}

/** Only a filter has this option. */
const FILTER_MARK = '--correlation-id <id>';

function verbText(command: string, verb: Verb): string {
  const told = new Set([...filterFlags(), ...BULK_FLAGS].map(({ doc }) => doc));
  const flags = verb.flags ?? [];
  const filtered = flags.some((flag) => flag.flags === FILTER_MARK);
  const own = filtered ? flags.filter(({ doc }) => !told.has(doc)) : flags;
  const argument = verb.argument === undefined ? '' : ` ${verb.argument.text}`;
  const takes = filtered ? `${argument} [filter]` : argument;
  const line = `- \`nightcrew ${pathOf(command, verb)}${takes}\`: ${verb.summary}${verb.byDefault === true ? ' (the default)' : ''}`;
  return [line, ...own.map(({ flags, doc }) => `  - \`${flags}\`: ${doc}`)].join('\n');
}

function flagList(flags: readonly Flag[]): string {
  return flags
    .map(({ flags: names, doc, choices }) => `- \`${names}\`: ${doc}${choices === undefined ? '' : ` (${choices.join(', ')})`}`)
    .join('\n');
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
