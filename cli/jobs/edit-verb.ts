import { defined } from '../../shared/core/defined.ts';
import { shown } from '../../shared/core/errors.ts';
import { strictJson } from '../../shared/core/strict-json.ts';
import type { Call } from '../call.ts';
import { EXIT, UsageError } from '../exit.ts';
import { plain } from '../text/plain.ts';
import type { Verb } from '../verb.ts';

const UNCHECKED = 'Checked as JSON only: the command line does not know the schema of its type. createAdmin({ jobs }) does.';

/** `edit`: another payload for one job that does not run; a dead letter may be redriven with it. */
export function editVerb(dead = false): Verb {
  return {
    name: 'edit',
    summary: dead
      ? 'replaces the payload of a dead letter; with --redrive also redrives it'
      : 'replaces the payload of a job that does not run',
    argument: { text: '<id>', doc: 'id of the job' },
    flags: [
      { flags: '--payload <json>', doc: 'the payload: JSON, @file, or - for the standard input' },
      { flags: '--rev <n>', doc: 'only if the job still has this `rev`; default: the current one' },
      { flags: '--reason <text>', doc: 'why, for the audit' },
      ...(dead ? [{ flags: '--redrive', doc: 'makes it ready again' }] : []),
    ],
    changes: true,
    run: async (call) => {
      const [id = ''] = call.args;
      const payload = await readPayload(call);
      const { admin } = await call.deployment();
      const [rev, reason] = [call.whole('rev'), call.text('reason')];
      const told = { actor: call.actor, ...defined({ reason, rev }) };
      const edited = await admin.editPayload(id, payload, told);
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

async function readPayload(call: Call): Promise<unknown> {
  const given = call.text('payload');
  if (given === undefined) throw new UsageError('--payload is missing: JSON, @file, or - for the standard input.');
  const text = given === '-' ? await read(call, '-') : given.startsWith('@') ? await read(call, given.slice(1)) : given;
  try {
    return strictJson(text);
  } catch (error) {
    const why = error instanceof Error ? plain(error.message) : 'unreadable';
    throw new UsageError(`--payload is not JSON: ${why}. Put a string in quotes: '"done"'.`);
  }
}

async function read(call: Call, path: string): Promise<string> {
  return call.io.readText(path).catch(() => {
    throw new UsageError(`--payload: ${shown(path)} cannot be read.`);
  });
}
