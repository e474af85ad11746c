import type { JobView } from '../../operate/jobs/job-view.ts';
import type { FoundByKey, HeldKey } from '../../operate/jobs/read-verbs.ts';
import { defined } from '../../shared/job/defined.ts';
import type { Call } from '../call.ts';
import { commandLine } from '../command-line.ts';
import type { OpenDeployment } from '../deployments/open-deployment.ts';
import { showFound } from '../each-deployment.ts';
import { UsageError } from '../exit.ts';
import { plain } from '../text/plain.ts';
import type { Flag, Verb } from '../verb.ts';
import { tellJob } from './job-details.ts';

const KEY_FLAGS: readonly Flag[] = [
  { flags: '--key <key>', doc: 'instead of an id: the job that holds this unique key now' },
  { flags: '--type <type>', doc: 'with --key: of this type; default: every type that is known, one read for each' },
  { flags: '--tenant <tenant>', doc: 'with --key: of this tenant; default: no tenant' },
];

/** `show`: one job in any state, with its payload and its attempts. */
export function showVerb(): Verb {
  return { name: 'show', summary: 'one job in any state, as jobs show', argument: { text: '<id>', doc: 'id of the job' }, run: showById };
}

/** `show`, by id or by unique key. */
export function showByKeyVerb(): Verb {
  return {
    name: 'show',
    summary: 'one job in any state: payload, error, attempts, result, and what operators did to it, as far as they are kept',
    argument: { text: '[id]', doc: 'id of the job' },
    flags: KEY_FLAGS,
    run: async (call) => {
      const [key, given] = [call.text('key'), call.args.length > 0];
      if (given === (key !== undefined)) throw new UsageError('give the id of a job, or --key.');
      if (key !== undefined) return showByKey(call, key);
      if (call.text('type') !== undefined || call.text('tenant') !== undefined) throw new UsageError('use --type and --tenant with --key.');
      return showById(call);
    },
  };
}

async function showById(call: Call): Promise<number> {
  const [id = ''] = call.args;
  return showJob(call, async ({ admin }) => admin.find(id), `No job ${plain(id)}: it is nowhere, or History no longer keeps it.`);
}

interface KeyLook extends FoundByKey {
  readonly deployment: OpenDeployment;
}

async function showByKey(call: Call, key: string): Promise<number> {
  const looks: KeyLook[] = [];
  const jobOf = async (deployment: OpenDeployment): Promise<JobView | undefined> => {
    const look = await deployment.admin.findByKey(key, defined({ type: call.text('type'), tenant: call.text('tenant') }));
    looks.push({ ...look, deployment });
    if (look.held.length > 1) {
      throw new UsageError(`jobs of ${look.held.length} types hold this key. Add --type: ${look.held.map(holderText).join(', ')}.`);
    }
    return look.held[0]?.job;
  };
  return showJob(call, jobOf, () => missingKey(call, key, looks));
}

async function showJob(
  call: Call,
  jobOf: (deployment: OpenDeployment) => Promise<JobView | undefined>,
  missing: string | (() => string),
): Promise<number> {
  const read = async (deployment: OpenDeployment) => {
    const job = await jobOf(deployment);
    if (job === undefined) return undefined;
    const { entries = [], result, actsComplete } = (await deployment.admin.timeline(job.id)) ?? {};
    const history = entries.flatMap((entry) => (entry.kind === 'attempt' ? [entry.attempt] : []));
    const acts = entries.flatMap((entry) => (entry.kind === 'act' ? [entry.act] : []));
    return {
      ...job,
      ...(history.length === 0 ? {} : { history }),
      ...(acts.length === 0 ? {} : { acts }),
      ...defined({ result, actsComplete }),
    };
  };
  return showFound(call, read, {
    missing,
    tell: (job) => tellJob(job, call.show, { attempts: job.history, acts: job.acts, result: job.result }),
  });
}

/** Why there is no job to show: nothing holds the key, or its holder is in no table. */
function missingKey(call: Call, key: string, looks: readonly KeyLook[]): string {
  const [holder] = looks.flatMap(({ held }) => held);
  if (holder !== undefined) {
    const until = holder.until === undefined ? '' : ` until ${call.show.time(holder.until)}`;
    return `${holderText(holder)} holds the key${until}, but it is nowhere, or History no longer keeps it.`;
  }
  const tenant = call.text('tenant');
  const place = tenant === undefined ? 'without a tenant' : `of tenant ${plain(tenant)}`;
  const hint = ['jobs', 'list', '--state', 'dead', '--state', 'finished', '--text', key] as const;
  return [
    `No job ${place} holds the unique key ${plain(JSON.stringify(key))}. ${typesText(looks)}`,
    'A job that is finished or cancelled, or is a dead letter, holds none. This finds it if its payload contains the key:',
    commandLine(looks[0]?.deployment ?? { words: [] }, ...hint),
  ].join('\n');
}

function holderText({ type, id }: HeldKey): string {
  return `${plain(type)} ${plain(id)}`;
}

function typesText(looks: readonly KeyLook[]): string {
  const types = [...new Set(looks.flatMap((look) => look.types))];
  const names = types.length > 5 ? `${types.length} types` : types.map((type) => plain(type)).join(', ');
  return types.length === 0 ? 'No type is known here: add --type.' : `Types that were looked at: ${names}.`;
}
