import type { Figures, Run } from '../support/figures.ts';
import type { Ledger } from './ledger.ts';
import { FOUND_BUGS } from './found-bugs.ts';
import { PROMISES } from './promises.ts';
import { coverageRows } from './orders/coverage.ts';
import { isSummed, PROOFS, SHOWN_FIGURES } from './proofs.ts';

/** docs/reference/reliability.md, from the promises and the runs of a ledger. Throws when a proof has none: the page shows what ran. */
export function reliabilityDoc(ledger: Ledger): string {
  const rows = PROMISES.map(({ promise, how, proofs, longer = [] }) => {
    const shown = [...proofs, ...longer.filter((proof) => runsOf(proof, ledger).length > 0)].map(
      (proof) => `${proof}: ${figureText(proof, ledger)}`,
    );
    return `| ${promise} | ${how} | ${shown.join('<br>')} |`;
  });
  return `# Reliability

Generated from the runs in [reliability.json](reliability.json); do not edit. \`npm run prove -- --record\` adds runs. [guarantees.md](guarantees.md)
says what the promises mean and what they assume; [emulators.md](emulators.md) says what runs on which emulator.
\`test/promises.test.ts\` has fast tests of the promises of the README.

| promise | how it is tested | figures |
| --- | --- | --- |
${rows.join('\n')}

[Proofs and benches](proofs.md) has their commands.

## Seeds

A proof that draws has a base seed of its own in each run of \`npm run prove\` and \`npm run hunt\`; \`--from <base>\` begins there again. The gate's runs have a fixed base and do not count. Sums cover the runs of version ${ledger.version}, each with the code at
that time. They start again after a run that broke a promise; repeated runs do not count.

| proof | runs | bases |
| --- | --- | --- |
${baseRows(ledger).join('\n')}

${boundText(ledger)}

## Orders

\`npm run orders -- --all\` walks the pairs of verbs that can meet at one job, without faults and with each single fault. The pairs
of a lower strength come first. The set of pairs changes with the product: those walked are of the newest set, orders and capped walks are of all runs. A capped walk ended at its bound, 1,000 orders by default.

| strength | pairs | walked | orders | capped walks |
| --- | --- | --- | --- | --- |
${coverageRows(ledger.runs).join('\n')}

## Bugs that the proofs found

Each was in the product, is fixed, and is held by the named test.
Wrong rules of the proofs themselves are not listed here.

| bug | sequence | found by | test |
| --- | --- | --- | --- |
${bugRows().join('\n')}
`;
}

function bugRows(): readonly string[] {
  return FOUND_BUGS.map(({ bug, sequence, by, test: [file, title] }) => `| ${bug} | ${sequence} | ${by} | ${title} (\`${file}\`) |`);
}

/** What the seeds without a violation say about those that were not run: the rule of three. */
export function boundText(ledger: Ledger): string {
  const runs = runsOf('simulation', ledger).filter(({ base, figures }) => base !== undefined && figures !== undefined);
  const seeds = runs.reduce((sum, { figures }) => sum + Number(figures?.['seeds']), 0);
  if (seeds === 0) return 'No seeds of the simulation are recorded yet.';
  const failed = runsOf('simulation', ledger).find(({ figures }) => figures === undefined);
  const since = failed === undefined ? '' : ` since base ${failed.base} broke a rule on ${failed.date}`;
  return `The simulation has run ${counted(seeds)} fresh seeds in a row without a violation${since}. With n such seeds the chance that the next one
breaks a promise is below 3/n at 95 % confidence: here ${(3 / seeds).toPrecision(2)}, one seed in ${counted(Math.floor(seeds / 3))}. It says nothing about what the simulation does not model.`;
}

/** A line for each proof that draws, in the order of the proofs. */
function baseRows(ledger: Ledger): readonly string[] {
  const names = [...new Set([...PROOFS.map(({ name }) => name), ...ledger.runs.map(({ proof }) => proof)])];
  return names.flatMap((proof) => {
    const drawn = runsOf(proof, ledger).filter(({ base, figures }) => base !== undefined && figures !== undefined);
    const bases = drawn.map(({ base, figures }) => `${base}${sized(figures)}`);
    return bases.length === 0 ? [] : [`| ${proof} | ${bases.length} | ${bases.join(', ')} |`];
  });
}

function sized({ seeds, of, pairs }: Figures = {}): string {
  const size = seeds ?? (of === undefined ? undefined : pairs);
  return size === undefined ? '' : ` (${counted(Number(size))})`;
}

const runsOf = (proof: string, { runs }: Ledger): readonly Run[] => runs.filter((run) => run.proof === proof);

function figureText(proof: string, ledger: Ledger): string {
  const passed = runsOf(proof, ledger).flatMap(({ figures }) => (figures === undefined ? [] : [figures]));
  const newest = passed.at(-1);
  if (newest === undefined) throw new Error(`There are no figures of ${proof}. Run: npm run prove -- ${proof}`);
  const { last = [], summed = [] } = SHOWN_FIGURES[proof] ?? { last: Object.keys(newest) };
  const texts = [
    ...last.map((name) => shownAs(name, valueOf(proof, name, newest))),
    ...summed.map((name) =>
      shownAs(
        name,
        passed.reduce((sum, figures) => sum + Number(valueOf(proof, name, figures)), 0),
      ),
    ),
  ];
  return `${texts.join(', ')}${isSummed(proof) && passed.length > 1 ? ` in ${passed.length} runs` : ''}`;
}

function valueOf(proof: string, name: string, figures: Figures): number | string {
  const value = figures[name];
  if (value === undefined) throw new Error(`The proof ${proof} left no figure ${name}; it left ${Object.keys(figures).join(', ')}.`);
  return value;
}

const shownAs = (name: string, value: number | string): string =>
  typeof value === 'number' ? `${counted(value)} ${words(name)}` : `${words(name)} ${value}`;

const counted = (value: number): string => value.toLocaleString('en-US');

/** `doubleCompletions` as a reader says it. */
function words(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
