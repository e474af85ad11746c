import { html } from 'hono/html';
import type { AskedField } from '../../operate/verbs/verb.ts';
import type { Html, Session } from '../page.ts';

/** A button that changes the deployment. */
export interface ActionButton {
  readonly label: string;
  /** Name of an action of `actions.ts`. */
  readonly action: string;
  readonly body?: Readonly<Record<string, unknown>>;
  /** Asked in a dialog before the action is sent; absent: sent at once. */
  readonly confirm?: string;
  readonly fields?: readonly AskedField[];
  readonly danger?: boolean;
  /**
   * It concerns many jobs: in production the name of the place must be typed, or a count that was shown. With `dryRun` the dialog first sends
   * `{ ...body, dryRun: true }`, shows the `count` of the answer, and then sends `{ ...body, dryRun: false, expected: <count> }`.
   */
  readonly bulk?: boolean;
  readonly dryRun?: boolean;
  /** The dialog has a button that sends its fields with `{ dryRun: true, preview: true }` and shows the `sample` of the answer. */
  readonly preview?: boolean;
  /** Sends the values of the rows selected in the table with this id as `ids`; off until a row is selected. */
  readonly selectedOf?: string;
}

/** The button; without `write` it is disabled and says how to enable it, because the server would refuse the action. */
export function actionButton(session: Pick<Session, 'write' | 'place'>, button: ActionButton): Html {
  const {
    label,
    action,
    body = {},
    confirm,
    fields = [],
    danger = false,
    bulk = false,
    dryRun = false,
    preview = false,
    selectedOf,
  } = button;
  const look = danger ? 'danger' : 'plain';
  if (!session.write) {
    return html`<button type="button" class="${look}" disabled title="Read-only. Start the console with --write to act.">${label}</button>`;
  }
  const typed = bulk && session.place.production ? session.place.name : '';
  return html`<button
    type="button"
    class="${look}"
    data-action="${action}"
    data-body="${JSON.stringify(body)}"
    data-confirm="${confirm ?? ''}"
    data-fields="${JSON.stringify(fields)}"
    data-typed="${typed}"
    data-dry-run="${dryRun ? 'yes' : ''}"
    data-preview="${preview ? 'yes' : ''}"
    data-selected-of="${selectedOf ?? ''}"
  >
    ${label}
  </button>`;
}

/** A form whose fields become the JSON body of an action: `type="number"` a number, a checkbox a boolean, empty ones are left out. */
export function actionForm(
  session: Pick<Session, 'write' | 'place'>,
  { action, label, body = {}, confirm = '', bulk = false }: Pick<ActionButton, 'action' | 'label' | 'body' | 'confirm' | 'bulk'>,
  inside: Html,
): Html {
  if (!session.write) return html`<p class="hint">Read-only. Start the console with <code>--write</code> to act.</p>`;
  const typed = bulk && session.place.production ? session.place.name : '';
  return html`<form
    class="stack"
    data-action="${action}"
    data-body="${JSON.stringify(body)}"
    data-confirm="${confirm}"
    data-typed="${typed}"
  >
    ${inside}
    <div><button type="submit">${label}</button></div>
  </form>`;
}
