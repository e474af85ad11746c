import type { Call } from './call.ts';
import { EXIT } from './exit.ts';
import type { OpenDeployment } from './deployments/open-deployment.ts';
import { errorMessage } from './text/error-message.ts';
import { plain } from './text/plain.ts';
import type { Document } from './show.ts';
import type { Sheet } from './text/table.ts';

/** The answer of one deployment. */
export interface Answer<Value> {
  readonly deployment: OpenDeployment;
  readonly value: Value;
}

/**
 * Queries every deployment of a call concurrently. A failure is printed on the standard error, and the others are still
 * shown; with a single deployment its error is the call's.
 */
export async function askEach<Value>(
  call: Call,
  read: (deployment: OpenDeployment) => Promise<Value>,
): Promise<{ readonly answers: readonly Answer<Value>[]; readonly code: number }> {
  const deployments = await call.deployments();
  const settled = await Promise.allSettled(deployments.map(async (deployment) => read(deployment)));
  const answers: Answer<Value>[] = [];
  for (const [index, one] of settled.entries()) {
    const deployment = deployments[index];
    if (deployment === undefined) continue;
    if (one.status === 'fulfilled') answers.push({ deployment, value: one.value });
    else if (deployments.length === 1) throw one.reason;
    else call.io.err(`${plain(deployment.name)}: ${errorMessage(one.reason)}\n`);
  }
  return { answers, code: answers.length === deployments.length ? EXIT.done : EXIT.failed };
}

/**
 * Shows a list: one table, with a column for the deployment where there are several; as JSON the value, or values by deployment. All of
 * them share its columns, so `sheetOf` gets all answers.
 */
export async function showList<Value extends Document>(
  call: Call,
  read: (deployment: OpenDeployment) => Promise<Value>,
  sheetOf: (value: Value, all: readonly Value[]) => Sheet,
): Promise<number> {
  const { answers, code } = await askEach(call, read);
  const several = (await call.deployments()).length > 1;
  if (call.show.json) {
    call.show.data(several ? byDeployment(answers) : (answers[0]?.value ?? null));
    return code;
  }
  const all = answers.map(({ value }) => value);
  const sheets = answers.map(({ deployment, value }) => ({ name: deployment.name, sheet: sheetOf(value, all) }));
  const [first] = sheets;
  if (first === undefined) return code;
  if (!several) call.show.sheet(first.sheet);
  else {
    call.show.sheet({
      columns: [{ head: 'DEPLOYMENT' }, ...first.sheet.columns],
      rows: sheets.flatMap(({ name, sheet }) => sheet.rows.map((row) => [name, ...row])),
      empty: first.sheet.empty,
      notes: sheets.flatMap(({ name, sheet }) => (sheet.notes ?? []).map((note) => `${name}: ${note}`)),
    });
  }
  return code;
}

/**
 * Shows the one thing that was asked for wherever it is; those that do not have it are passed over. Where none has, `missing` is said,
 * once all have answered, and the exit code is `lost`, unless one did not answer: then the result is unknown.
 */
export async function showFound<Value extends Document>(
  call: Call,
  read: (deployment: OpenDeployment) => Promise<Value | undefined>,
  { missing, tell }: { readonly missing: string | (() => string); readonly tell: (value: Value, deployment: OpenDeployment) => void },
): Promise<number> {
  const { answers, code } = await askEach(call, read);
  const several = (await call.deployments()).length > 1;
  const found = answers.flatMap(({ deployment, value }) => (value === undefined ? [] : [{ deployment, value }]));
  if (call.show.json) {
    const values = answers.map(({ deployment, value }) => ({ deployment, value: value ?? null }));
    call.show.data(several ? byDeployment(values) : (values[0]?.value ?? null));
  }
  for (const { deployment, value } of call.show.json ? [] : found) {
    if (several) call.show.line(call.show.paint('head', plain(deployment.name)));
    tell(value, deployment);
  }
  if (found.length > 0) return code;
  const said = typeof missing === 'string' ? missing : missing();
  call.io.err(code === EXIT.done ? `${said}\n` : 'Those that answered do not have it; the others may.\n');
  return code === EXIT.done ? EXIT.lost : code;
}

function byDeployment(answers: readonly Answer<unknown>[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(answers.map(({ deployment, value }) => [deployment.name, value]));
}
