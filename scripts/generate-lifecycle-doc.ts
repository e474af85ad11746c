/** `docs/reference/lifecycle.md`, from the transition table; a test fails when they differ. */
import type { JobState } from '../shared/job/job.ts';
import { STATES, type Transition, TRANSITIONS, waysOf } from '../shared/job/transitions.ts';

const START_OR_END = '[*]';

/** Verbs that lead from one state to the same other one share an arrow. */
function arrows(transitions: readonly Transition[]): string {
  const verbs = new Map<string, string[]>();
  for (const transition of transitions) {
    for (const { source, target } of waysOf(transition)) {
      const arrow = `${source === 'none' ? START_OR_END : source} --> ${target}`;
      verbs.set(arrow, [...(verbs.get(arrow) ?? []), transition.verb]);
    }
  }
  const lines = [...verbs].map(([arrow, together]) => `  ${arrow} : ${together.join(', ')}`);
  return ['stateDiagram-v2', '  direction LR', ...lines, `  finished --> ${START_OR_END}`].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

function stateRows(): string {
  return (Object.entries(STATES) as [JobState, (typeof STATES)[JobState]][])
    .map(([state, { table, owner }]) => `| ${state} | ${cell(table)} | ${cell(owner)} |`)
    .join('\n');
}

function transitionRows(transitions: readonly Transition[]): string {
  return transitions
    .map(({ verb, by, from, to, inPlace, write, afterwards }) => {
      const names = (states: readonly string[]): string => states.map((state) => (state === 'none' ? '-' : state)).join(', ');
      return `| ${verb} | ${by.join(', ')} | ${names(from)} | ${inPlace === true ? 'the same' : names(to)} | ${cell(write)} | ${cell(afterwards ?? '')} |`;
    })
    .join('\n');
}

const HEADER = '| verb | by | from | to | write | afterwards |\n|---|---|---|---|---|---|';

/** The page: a diagram, the states, and every transition with the write that makes it. */
export function lifecycleDoc(): string {
  return `# The life of a job

Generated from \`shared/job/transitions.ts\`; do not edit.

\`\`\`mermaid
${arrows(TRANSITIONS)}
\`\`\`

An arrow joins each \`from\` of a [transition](#transitions) with each \`to\`; its row may say less: \`replace\` suspends no job.

## States

The state of a job is where its row lies and who holds its lease.

| state | where | lock owner |
|---|---|---|
${stateRows()}

## Transitions

Each is one write or one transaction; some write a row of Control before it. The put of a new job with a fresh id has no condition. The loser of a race does not change the job; most verbs then look again. \`soon\` is within \`delayHorizon\`, \`later\` beyond it.

The rows leave out what is the same for all. A job that ends or becomes a dead letter counts in its batch and frees its unique key, as far as its row can be read. A completion, a burial, a quarantine and the end of a dead letter leave a key that is held for a stated time. A job that ends gives up its place in its group; a dead letter keeps it. A dead letter that is deleted or removed stays counted as failed. Cancelled, skipped and expired jobs go to History unless the deployment's history is off. A run that ends after a cancel was requested ends as cancelled, unless its row cannot be read.

${HEADER}
${transitionRows(TRANSITIONS)}
`;
}
