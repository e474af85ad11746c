import { defined } from '../../shared/job/defined.ts';
import { REASON_FLAG } from '../common-flags.ts';
import { EXIT } from '../exit.ts';
import { plain } from '../text/plain.ts';
import type { Verb } from '../verb.ts';
import { readJson } from './read-json.ts';

const UNCHECKED = 'Checked as JSON only: the command line does not know the schema of its type. createAdmin({ jobs }) does.';

/** `edit`: another payload for one job that does not run; a dead letter may be redriven with it. */
export function editVerb(dead = false): Verb {
  return {
    name: 'edit',
    summary: dead
      ? 'replaces the payload of a dead letter; with --redrive also redrives it'
      : 'replaces the payload of a job that is not running',
    argument: { text: '<id>', doc: 'id of the job' },
    flags: [
      { flags: '--payload <json>', doc: 'the payload: JSON, @file, or - for the standard input' },
      { flags: '--rev <n>', doc: 'only if the job still has this `rev`; default: the current one' },
      REASON_FLAG,
      ...(dead ? [{ flags: '--redrive', doc: 'makes it ready again' }] : []),
    ],
    changes: true,
    run: async (call) => {
      const [id = ''] = call.args;
      const payload = await readJson(call, 'payload');
      const { admin } = await call.deployment();
      const [seen, reason] = [call.whole('rev'), call.text('reason')];
      const found = dead ? await admin.find(id) : undefined;
      const rev = seen ?? found?.rev;
      const edited =
        dead && found?.state !== 'dead'
          ? (found?.state ?? 'not-found')
          : await admin.editPayload(id, payload, { actor: call.actor, ...defined({ reason, rev }) });
      const redriven = edited === 'edited' && call.on('redrive') ? await admin.redrive(id) : undefined;
      if (call.show.json) call.show.data({ id, outcome: edited, ...defined({ redrive: redriven }) });
      else {
        call.show.line(
          `${plain(id)}  ${edited === 'edited' ? edited : `left alone: ${edited}`}${redriven === undefined ? '' : `, ${redriven}`}`,
        );
        if (edited === 'edited') call.show.line(UNCHECKED);
      }
      return edited === 'edited' && (redriven === undefined || redriven === 'redriven') ? EXIT.done : EXIT.lost;
    },
  };
}
