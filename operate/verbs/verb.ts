import type { Instant } from '../../shared/job/instant.ts';
import type { JobId } from '../../shared/job/job-id.ts';
import type { JobState } from '../../shared/job/job.ts';
import type { Row } from '../../shared/ports/tables.ts';
import type { Located } from '../../shared/store/locate.ts';
import type { AdminDeps } from '../admin-deps.ts';
import type { AuditContext } from '../../shared/operator/act.ts';

/** Why a verb did nothing: the state that kept it from it. */
export type NotDone = 'not-found' | 'waiting' | 'parked' | 'ready' | 'running' | 'suspended' | 'dead' | 'finished';

/** An action of `bulk`: its verb, and the arguments of that verb. */
export interface VerbAction {
  readonly verb: string;
}

/** An instant as the reader sees it, in the time zone of the reader. */
export type InstantWords = (at: Instant) => string;

/** A field of a dialog; its value is sent as `name`. Empty fields are left out. */
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

/** An argument of a verb: its flag, its field in the console, and its parser. */
export interface VerbArgument {
  /** Its field in the action. */
  readonly field: string;
  /** `whole`: a number. `instant`: a Date. `name`: a text; with a `noneFlag` also null, for none. `json`: any value, typed as JSON. `flag`: true. */
  readonly kind: 'whole' | 'instant' | 'name' | 'json' | 'flag';
  readonly required?: true;
  /** It makes the verb act on jobs in more states, so a command for one state does not have it. */
  readonly widens?: true;
  readonly flag: ArgumentFlag;
  /** The flag that stands for null, for a `name`: one of the two is required. */
  readonly noneFlag?: ArgumentFlag;
  /** The field in the dialog for one job, and in the dialog for many. Both have the same name. Absent: the console does not ask for it. */
  readonly asked?: { readonly one: AskedField; readonly many: AskedField };
  /** What to do about a required instant that is missing. Default: give a whole number. */
  readonly missing?: { readonly one: string; readonly many: string };
  /** Placeholder of a required argument while jobs are counted, before the dialog is filled in. */
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
  /** The one-job call handles every other state, so the CLI does not look up the job first. */
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
  /** The text of the dialog for one job. */
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
  canTell?(row: Row, terms: { readonly now: number; readonly withinMs: number; readonly action: Action }): boolean;
}

/** What a verb would make of the payload of one job: JSON texts, or why it would leave it alone. */
export interface VerbPreview {
  readonly before?: string;
  readonly after?: string;
  readonly problem?: string;
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
  readonly context?: 'optional' | 'required';
  /** The outcomes that changed something, or found the job as it was asked for. */
  readonly done: readonly string[];
  /** What each outcome means that changed nothing and that only this verb has. */
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
  /** The states that an action with these arguments acts on in bulk, and means if a filter names none. Default: `acts` and `means`. */
  actsOn?(action: Action): readonly JobState[];
  /**
   * The outcomes for a job to which this action was already applied, where it means jobs in `states`. They decide about jobs of a step whose
   * process died: another operator may have acted on them too.
   */
  repeated(action: Action, states: readonly JobState[]): readonly string[];
  /** Checks the arguments; times of the result are absolute. Default: it has none. Throws InvalidInputError. */
  check?(action: Action, now: number): Action;
  /**
   * Checks that the deployment has what a bulk action names, before anything is read, and adds what only this session knows: another one may
   * resume it. Default: it names nothing. Throws InvalidInputError.
   */
  checkIn?(deps: AdminDeps, action: Action): Action;
  /** Creates its methods of Admin. With a `tenant` the jobs of all others are `not-found`. */
  methods(deps: AdminDeps, tenant?: string): Methods;
  /** Does it to one job, and gives the outcome. */
  act(on: On, id: JobId, action: Action, context: AuditContext): Promise<string>;
  /** Shows what it would do to a job, for a dry run. Default: there is nothing to show. Throws as `act` does. */
  preview?(deps: AdminDeps, found: Located, action: Action): Promise<VerbPreview>;
  /** As `act`, for a job of a bulk action. Default: `act` on its own methods. */
  actInBulk?(deps: AdminDeps, id: JobId, action: Action, context: Required<AuditContext>): Promise<string>;
  /** The message to the operator for an outcome in `done`. */
  says(outcome: string, action: Action, words: InstantWords): string;
  /** The text after the label in the title of a bulk action. */
  title?(action: Action, words: InstantWords): string;
}
