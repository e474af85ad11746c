import { type CompletionTree, SHELLS, shellScript } from '../completion/shell-scripts.ts';
import type { Command } from '../command.ts';
import { EXIT, UsageError } from '../exit.ts';
import { flagsOf, verbCommand } from '../verb-command.ts';
import type { Flag } from '../verb.ts';

/** `nightcrew completion`: prints the script by which a shell completes the commands that it is given, and itself. */
export function completionCommand(commands: readonly Command[]): Command {
  return verbCommand('completion', 'prints a completion script for bash, zsh or fish', [
    {
      summary: 'prints the completion script of a shell',
      argument: { text: '<shell>', doc: SHELLS.join(', ') },
      apart: true,
      more: 'bash: source <(nightcrew completion bash)\nzsh: source <(nightcrew completion zsh)\nfish: nightcrew completion fish | source',
      run: async (call) => {
        const shell = SHELLS.find((one) => one === call.args[0]);
        if (shell === undefined) throw new UsageError(`use one of ${SHELLS.join(', ')}.`);
        call.io.out(shellScript(shell, completionTree(commands)));
        return Promise.resolve(EXIT.done);
      },
    },
  ]);
}

/** The words that can follow each word. */
export function completionTree(commands: readonly Command[]): CompletionTree {
  return [
    ...commands.map(({ name, summary, verbs = [] }) => ({
      name,
      summary,
      flags: unique(
        verbs.filter((verb) => verb.name === undefined || verb.byDefault === true).flatMap((verb) => flagsOf(verb).flatMap(longNames)),
      ),
      verbs: verbs.flatMap((verb) =>
        verb.name === undefined ? [] : [{ name: verb.name, summary: verb.summary, flags: unique(flagsOf(verb).flatMap(longNames)) }],
      ),
    })),
    {
      name: 'completion',
      summary: 'prints a completion script',
      flags: [],
      verbs: SHELLS.map((name) => ({ name, summary: `for ${name}`, flags: [] })),
    },
  ];
}

function longNames({ flags }: Flag): readonly string[] {
  return flags.split(/[ ,]+/).filter((word) => word.startsWith('--'));
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set([...names, '--help'])];
}
