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

\`nightcrew\` comes with the package and uses your own AWS credentials, so IAM decides what you may do ([who may operate](../operate/operator-access.md)). It stores nothing, and opens no port except for \`nightcrew console\`. Run it where the package is installed, as \`npx --no -- nightcrew\` or from a script of package.json. \`nightcrew completion\` prints the completion for bash, zsh and fish.

\`\`\`sh
nightcrew doctor --stack shop                       # is everything in order, and how to fix it if not
nightcrew dead-letters groups --stack shop          # what fails, one line for each fault
nightcrew explain <id> --stack shop                 # why is this job where it is, and what happens next
nightcrew dead-letters edit <id> --payload @fixed.json --redrive --stack shop
nightcrew dead-letters redrive --fingerprint <fingerprint> --canary --rate 20 --stack shop
\`\`\`

## Which deployment

Select it by one of these:

- \`--stack <stack>\`: the CloudFormation stack. Its output \`Operator\` holds everything. Use \`<stack>/<construct>\` if a stack has several deployments. It needs \`@aws-sdk/client-cloudformation\` beside the package, and \`cloudformation:DescribeStacks\`.
- \`--env-file <file>\`: a file with the \`NIGHTCREW_\` variables that \`connect(fn)\` gives a function. It may also hold \`AWS_REGION\`, \`AWS_ENDPOINT_URL_...\` and keys; without keys the credentials are those of the process. Node looks at the file before the installed command does, and ends with 9 if it is not there.
- nothing: the environment of the process.

Name several to compare deployments: lists get a column, JSON becomes an object by name, \`--sum\` adds up counts and statistics. Commands that change something take exactly one.

## Output

The default is tables, cut to the width of the terminal and coloured (not with \`--no-color\`, \`NO_COLOR\` or in a pipe), with times as ages or in \`--zone\`. \`--json\` prints one JSON document for scripts on the standard output: dates in ISO-8601, numbers exact, always an object, a list by its name in it, as in \`{"jobs":[...],"next":"..."}\`, and \`null\` for what does not exist. Messages, questions and progress go to the standard error. Users' texts are shown with control characters and changes of writing direction written out (\`\\u001b\`), so that a payload cannot steer your terminal.

Times on the command line: \`2h\`, \`30m\`, \`3d\` (back for \`--from\` and \`--to\`, ahead for \`--at\` and \`--until\`; \`-2h\` and \`+2h\` say it), \`PT2H\`, a day in UTC, or ISO-8601 with an offset.

## Changing many jobs

A verb that changes jobs takes ids or a filter. Giving neither is refused, and so is an empty value, such as a variable that was never set. \`--all\` means all jobs of a state. A command for one state, such as \`timers\`, leaves ids in other states alone. It names each id that it left alone, and the exit code is ${EXIT.lost}. With a filter it first counts (a dry run: nothing is written), says what it will do in which deployment, account and region, and waits until you type the number. \`--yes\` skips the question. Without \`--yes\` and without a terminal it writes nothing and exits with ${EXIT.usage}. \`--canary\` tries one job and waits until it has completed. Ctrl-C stops before the next job (a list with \`--all\` after its page) and prints the command that continues; \`nightcrew bulks\` lists the actions that were begun. Each job is changed by one conditional write or transaction, so a job that moves meanwhile is left alone and counted, never half changed. \`nightcrew audit\` shows who did what, for 400 days.

## Exit codes

| code | meaning |
| ---- | ------- |
`;

const CODES: Readonly<Record<keyof typeof EXIT, string>> = {
  done: 'done',
  failed: 'the store did not answer or refused, a job failed, or a check of the doctor failed',
  usage: 'arguments or environment are wrong, or the action was not confirmed: nothing was written',
  lost: 'the job does not exist, is not in a suitable state, or belongs to somebody else by now: it was left alone',
  cancelled: '`external` alone: somebody asked for the job to be cancelled',
  stopped: 'Ctrl-C: stopped after a page, and printed the command that continues',
};

const OUTRO = `
## Limits

Lists and counts read an index or a sort key, or scan. They say which, and what it cost in read units. \`--max-read-units\` bounds a page (default 1,000) and a count (10,000); a count that was cut off says so. \`doctor\` never changes anything. Of a worker's own settings it knows \`executorTimeout\`, from \`--stack\` or \`connectOperator(fn)\`, so that a shorter visibility timeout than those ask for is a warning. A region on one machine needs the repository (\`nightcrew dev\` says how): the package carries no emulators.
`;

/** The page about the command line. */
export function cliDoc(): string {
  const codes = (Object.keys(EXIT) as (keyof typeof EXIT)[]).map((name) => `| ${EXIT[name]} | ${CODES[name]} |`);
  return [
    `${INTRO}${codes.join('\n')}\n`,
    `## Options of every command\n\n${flagList([...PLACE_FLAGS, ...WRITE_FLAGS, ...COMMON_FLAGS])}\n`,
    `## Filters\n\nThe same for lists, counts and changes. Several values of one option mean any of them; several options mean all of them. \`--reason\` is the reason for your action; \`--of-reason\` filters by the reason of a job.\n\n${flagList(filterFlags())}\n`,
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
    ? `${heading}\nSee [workers-outside-lambda.md](../guides/workers-outside-lambda.md).\n`
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
