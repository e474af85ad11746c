import type { Instant } from '../../core/instant.ts';
import type { JobId } from '../../core/job-id.ts';
import type { JobState } from '../../core/job.ts';
import type { Row } from '../../ports/tables.ts';
import type { AdminDeps } from '../admin-deps.ts';
import type { AuditContext } from '../change-job.ts';

/** Why a verb did nothing: the state that kept it from it. */
export type NotDone = 'not-found' | 'waiting' | 'parked' | 'ready' | 'running' | 'suspended' | 'dead' | 'finished';

/** An action of `bulk`: its verb, and the arguments of that verb. */
export interface VerbAction {
  readonly verb: string;
}

/** An instant as the reader sees it, in the time zone of the reader. */
export type InstantWords = (at: Instant) => string;

/** A field that a dialog asks for; its value goes into the body under `name`. Empty fields are left out. */
export interface AskedField {
  readonly name: string;
  readonly label: string;
  /** `text` one line, `long` several, `number` a JSON number, `flag` a JSON boolean. Default `text`. */
  readonly kind?: 'text' | 'long' | 'number' | 'flag';
  readonly value?: string;
  readonly required?: boolean;
  readonly hint?: string;
}

/** An option of a command, as commander writes it: `--retries <n>`. */
export interface ArgumentFlag {
  readonly flags: string;
  readonly doc: string;
}

/** An argument of a verb: where the command line and the console ask for it, and what they make of it. */
export interface VerbArgument {
  /** Its field in the action. */
  readonly field: string;
  /** `whole`: a number. `instant`: a Date. `name`: a text, or null for none. */
  readonly kind: 'whole' | 'instant' | 'name';
  readonly required?: true;
  readonly flag: ArgumentFlag;
  /** The flag that says null, for a `name`: one of the two is required. */
  readonly noneFlag?: ArgumentFlag;
  /** The field in the dialog for one job, and in the dialog for many. Both have the same name. */
  readonly asked: { readonly one: AskedField; readonly many: AskedField };
  /** What to do about a required instant that is missing. Default: give a whole number. */
  readonly missing?: { readonly one: string; readonly many: string };
  /** Stands for a required argument while jobs are counted, before the dialog is filled in. */
  readonly sample?: number | string;
}

/** The commands of the CLI that have verbs for jobs. */
export type JobCommand = 'jobs' | 'dead-letters' | 'timers' | 'suspended';

/** How the CLI shows a verb. */
export interface VerbCommand {
  readonly summary: string;
  /** As in `1,234 jobs will be ...`. */
  readonly past: string;
  /** The commands that have it, the main one first, each with its place in the help: the lowest number comes first. */
  readonly of: Readonly<Partial<Record<JobCommand, number>>>;
  /** The one-job call answers for every other state, so the CLI does not look first where a job is. */
  readonly refuses?: true;
  /** When jobs that are named by id are changed as one bulk action. Default: with a reason if the one-job call takes none. */
  readonly inBulk?: 'always' | 'with-a-reason';
}

/** How the console shows a verb. */
export interface VerbButton {
  /** The path of its action, for one job. */
  readonly action: string;
  /** Its place among the buttons: the lowest number comes first. */
  readonly place: number;
  readonly label: string;
  /** The label of the button for many jobs. Default `label`. */
  readonly labelForMany?: string;
  /** As in `Started: redriving 3 jobs`. */
  readonly doing: string;
  readonly danger?: true;
  /** What the dialog for one job says. */
  readonly confirm?: string;
  /** The label of a required reason. */
  readonly why?: string;
  /** What to do about a required reason that is missing. */
  readonly whyMissing?: string;
  /** The page to go to after it. Default: the page of the job. */
  readonly leadsTo?: string;
}

/** A job to try first: when it starts, and whether it can show in time that it completes. */
export interface VerbCanary<Action extends VerbAction> {
  /** When the jobs start, in epoch milliseconds; undefined for at once. */
  startsAt?(action: Action): number | undefined;
  canTell?(row: Row, terms: { readonly now: number; readonly withinMs: number }): boolean;
}

/**
 * What an operator can do to a job, said once. Admin, bulk actions, the command line and the console are driven by it. `Methods` are
 * the methods of Admin that it provides, `On` those that its one-job call uses.
 */
export interface JobVerb<Action extends VerbAction = VerbAction, Methods extends object = object, On extends object = Methods> {
  /** Its name in bulk actions, in their entries of the audit, and in commands. */
  readonly name: Action['verb'];
  /** The method of Admin that does it to one job, which is its name in the audit. */
  readonly method: string;
  /** The states in which it does something to a job. */
  readonly acts: readonly JobState[];
  /** The states that it means if a filter names none, and those in which the console offers it. Default `acts`. */
  readonly means?: readonly JobState[];
  readonly arguments?: readonly VerbArgument[];
  /** Further fields of the action, which only code gives. */
  readonly moreFields?: readonly string[];
  /** Whether the one-job call takes an actor and a reason. Absent: it takes neither. */
  readonly told?: 'optional' | 'required';
  /** The outcomes that changed something, or found the job as it was asked for. */
  readonly done: readonly string[];
  /**
   * The outcomes that it has for a job to which it was done before. They decide about jobs of a step whose process died: another
   * operator may have acted on them too.
   */
  readonly repeated: readonly string[];
  /** What an outcome means that no other verb has and that changed nothing. */
  readonly refusals?: Readonly<Record<string, string>>;
  /** Whether one job can be tried first. */
  readonly canary?: VerbCanary<Action>;
  /** The attribute of a row with the instant since when the job is as the verb means it. */
  readonly since?: string;
  /** It acts on a dead letter whose row cannot be read, too. */
  readonly actsOnUnreadable?: true;
  /** Only for operators of the whole deployment: the admin of one tenant does not have it. */
  readonly wholeDeployment?: true;
  readonly command: VerbCommand;
  readonly button: VerbButton;
  /** Checks the arguments; times of the result are absolute. Default: it has none. Throws InvalidInputError. */
  check?(action: Action, now: number): Action;
  /** Creates its methods of Admin. With a `tenant` the jobs of all others are `not-found`. */
  methods(deps: AdminDeps, tenant?: string): Methods;
  /** Does it to one job, and gives the outcome. */
  act(on: On, id: JobId, action: Action, told: AuditContext): Promise<string>;
  /** As `act`, for a job of a bulk action. Default: `act` on its own methods. */
  actInBulk?(deps: AdminDeps, id: JobId, action: Action, told: Required<AuditContext>): Promise<string>;
  /** What to tell the operator about an outcome of `done`. */
  says(outcome: string, action: Action, words: InstantWords): string;
  /** What the title of a bulk action says after its label. */
  title?(action: Action, words: InstantWords): string;
}
