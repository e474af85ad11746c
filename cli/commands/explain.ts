import { commandLine } from '../command-line.ts';
import { showFound } from '../each-deployment.ts';
import { verbCommandWords } from '../jobs/verb-commands.ts';
import { plain } from '../text/plain.ts';
import { STATE_STYLE } from '../text/style.ts';
import { verbCommand } from '../verb-command.ts';

/** `nightcrew explain`: why a job is in its state, and what happens next. */
export const explainCommand = verbCommand('explain', 'why a job is where it is, and what will happen next', [
  {
    summary: 'why a job is where it is, and what will happen next',
    argument: { text: '<id>', doc: 'id of the job' },
    run: async (call) => {
      const [id = ''] = call.args;
      const { show } = call;
      return showFound(call, async ({ admin }) => admin.explain(id), {
        missing: `No job ${plain(id)}: it is nowhere, or History no longer keeps it.`,
        tell(explanation, deployment) {
          const { state, code: why, text, next, facts, verbs } = explanation;
          show.line(`${plain(explanation.id)}  ${show.paint(STATE_STYLE[state], state)}${why === state ? '' : `  ${why}`}`);
          show.line(plain(text));
          const at = next.at === undefined ? '' : `, ${show.time(next.at)}`;
          show.line(next.by === 'nobody' ? '  next: nothing by itself' : `  next: ${next.verb} by ${next.by}${at}`);
          for (const [name, value] of Object.entries(facts)) show.line(show.paint('quiet', `  ${plain(name)}: ${plain(String(value))}`));
          for (const verb of verbs) {
            const words = verbCommandWords(verb, explanation);
            show.line(`  you can: ${words === undefined ? plain(verb) : commandLine(deployment, ...words)}`);
          }
        },
      });
    },
  },
]);
