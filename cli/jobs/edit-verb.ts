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
      const context = { actor: call.actor, ...defined({ reason, rev }) };
      const act = async () => (call.on('redrive') ? admin.redrive(id, { payload, ...context }) : admin.editPayload(id, payload, context));
      const outcome = dead && found?.state !== 'dead' ? (found?.state ?? 'not-found') : await act();
      const redriven = outcome === 'redriven';
      const done = redriven || outcome === 'edited';
      if (call.show.json) call.show.data({ id, outcome: redriven ? 'edited' : outcome, ...(redriven ? { redrive: outcome } : {}) });
      else {
        call.show.line(`${plain(id)}  ${redriven ? 'edited, redriven' : done ? outcome : `left alone: ${outcome}`}`);
        if (done) call.show.line(UNCHECKED);
      }
      return done ? EXIT.done : EXIT.lost;
    },
  };
}
