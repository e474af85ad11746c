import { problemText } from '../../console/problem-text.ts';
import type { Call } from '../call.ts';
import { EXIT, UsageError } from '../exit.ts';
import { placeOf } from '../deployments/place-of.ts';
import { verbCommand } from '../verb-command.ts';

const MAX_PORT = 65_535;

/** `nightcrew console`: the web page on loopback, with the operator's own credentials. */
export const consoleCommand = verbCommand(
  'console',
  'a web page on this machine, with your own credentials; nothing is exposed in the cloud',
  [
    {
      summary: 'starts a web page on 127.0.0.1 and prints its address, which works once; Ctrl-C ends it',
      flags: [
        { flags: '--write', doc: 'allows actions; without it the console is read-only and the server refuses all actions' },
        { flags: '--port <n>', doc: 'default: a free one' },
        { flags: '--redact <field>', doc: 'payload field to hide', many: true },
        { flags: '--not-production', doc: 'shows no red header, and does not ask for the name before a bulk action' },
        { flags: '--actor <name>', doc: 'the actor, for the audit; default: the user who is logged in' },
      ],
      run: async (call) => {
        const port = call.whole('port') ?? 0;
        if (port < 0 || port > MAX_PORT) throw new UsageError(`--port ${port} is not a valid port. Use 0 to ${MAX_PORT}.`);
        const { environment, name, words } = await call.deployment();
        const { local, account, region } = placeOf(environment);
        const place = local ? 'local' : [name, account, region].filter((one) => one !== undefined).join(' ');
        // Installed before the address is printed: its reader may stop the console at once.
        const { signal } = call.io;
        const running = await call.io.startConsole({
          environment,
          write: call.on('write'),
          port,
          zone: call.show.zone,
          actor: call.actor,
          place: { name: place, production: !local && !call.on('notProduction'), words },
          redact: call.texts('redact') ?? [],
          onProblem: (what, error) => call.io.err(problemText(what, error)),
        });
        try {
          tellAddress(call, running.url, call.on('write'));
          await ended(signal);
        } finally {
          await running.close();
        }
        return EXIT.done;
      },
    },
  ],
);

function tellAddress(call: Call, url: string, write: boolean): void {
  if (call.show.json) call.show.data({ url, write });
  else
    call.show.line(
      `${url}\n${write ? 'Actions are allowed.' : 'Read-only; --write allows actions.'} The address works once. Ctrl-C ends it.`,
    );
}

async function ended(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
