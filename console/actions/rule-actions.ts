import { defined } from '../../shared/job/defined.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import type { SuspensionScope } from '../../shared/features/rules/model/rules.ts';
import type { Action, ActionAnswer, Session } from '../page.ts';
import { scopeOf, scopeWords } from '../parts/scope-text.ts';
import { type Body, exactOf, flagOf, textOf, timeOf, contextOf } from './body-fields.ts';

/** Suspensions, each of which concerns many jobs: body `{ kind, name?, worker?, reason, until?, newJobsOnly? }` or `{ scope, ratePerSecond?, reason? }`. */
export const RULE_ACTIONS: readonly Action[] = [
  { name: 'suspend', bulk: 'place', run: suspend },
  { name: 'resume', bulk: 'place', run: resume },
];

const KINDS = ['all', 'type', 'tenant', 'group', 'schedule', 'batch'];

async function suspend(session: Session, body: Body): Promise<ActionAnswer> {
  const scope = givenScope(body);
  const until = timeOf(body, 'until', session.now());
  const { actor, reason = '' } = contextOf(session, body);
  const newJobsOnly = flagOf(body, 'newJobsOnly');
  await session.admin.suspend(scope, { actor, reason, ...(newJobsOnly ? { newJobsOnly } : {}), ...defined({ until }) });
  return {
    ok: true,
    message: newJobsOnly
      ? 'Suspended: within five seconds none of its new jobs starts. Jobs that exist already go on.'
      : 'Suspended: within five seconds none of its jobs starts. Running jobs continue.',
    to: '/suspensions',
  };
}

async function resume(session: Session, body: Body): Promise<ActionAnswer> {
  const text = exactOf(body, 'scope') ?? '';
  const scope = scopeOf(text);
  if (scope === undefined)
    throw new InvalidInputError('scope', body['scope'], 'Give the scope of a suspension, such as type#invoice.send.');
  const { ratePerSecond } = body;
  if (ratePerSecond !== undefined && typeof ratePerSecond !== 'number')
    throw new InvalidInputError('ratePerSecond', ratePerSecond, 'Give a number.');
  const options = { ...contextOf(session, body), ...defined({ ratePerSecond }) };
  const outcome = await session.admin.resume(scope, options);
  if (outcome === 'not-suspended') return { ok: false, message: `It is not suspended any more: ${scopeWords(text)}.` };
  return { ok: true, message: `Resumed: ${scopeWords(text)}. The sweeper resumes its jobs from its next run on.` };
}

function givenScope(body: Body): SuspensionScope {
  const kind = textOf(body, 'kind') ?? '';
  if (!KINDS.includes(kind)) throw new InvalidInputError('kind', body['kind'], `Use one of ${KINDS.join(', ')}.`);
  if (kind === 'all') return 'all';
  const name = textOf(body, 'name');
  if (name === undefined) throw new InvalidInputError('name', body['name'], `Say which ${kind}.`);
  const worker = textOf(body, 'worker');
  if (worker !== undefined && kind !== 'type') throw new InvalidInputError('worker', worker, 'Only a type can be suspended on one worker.');
  return { [kind]: name, ...defined({ worker }) } as SuspensionScope;
}
