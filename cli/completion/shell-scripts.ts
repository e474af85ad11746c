/** Shells that complete. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

interface CompletionVerb {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly string[];
}

/** Commands with their verbs and the options of each. */
export type CompletionTree = readonly (CompletionVerb & { readonly verbs: readonly CompletionVerb[] })[];

/** The script for a shell. It holds only words of this package. */
export function shellScript(shell: (typeof SHELLS)[number], tree: CompletionTree): string {
  if (shell === 'bash') return bashScript(tree);
  return shell === 'zsh' ? zshScript(tree) : fishScript(tree);
}

function cases(tree: CompletionTree): string {
  const lines = tree.flatMap((command) => [
    `    '${command.name} '${command.verbs.length === 0 ? '*' : ''}) words='${[...command.verbs.map(({ name }) => name), ...command.flags].join(' ')}' ;;`,
    ...command.verbs.map((verb) => `    '${command.name} ${verb.name}') words='${verb.flags.join(' ')}' ;;`),
  ]);
  return lines.join('\n');
}

function bashScript(tree: CompletionTree): string {
  return `# bash completion of nightcrew: source <(nightcrew completion bash)
_nightcrew() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words='${tree.map(({ name }) => name).join(' ')} --help' verb=''
  if [ "$COMP_CWORD" -gt 2 ]; then case "\${COMP_WORDS[2]}" in -*) ;; *) verb="\${COMP_WORDS[2]}" ;; esac; fi
  if [ "$COMP_CWORD" -gt 1 ]; then
    words=''
    case "\${COMP_WORDS[1]} $verb" in
${cases(tree)}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -F _nightcrew nightcrew
`;
}

function zshScript(tree: CompletionTree): string {
  return `#compdef nightcrew
# zsh completion of nightcrew: source <(nightcrew completion zsh)
_nightcrew() {
  local words_='${tree.map(({ name }) => name).join(' ')} --help' verb=''
  if (( CURRENT > 3 )) && [[ "\${words[3]}" != -* ]]; then verb="\${words[3]}"; fi
  if (( CURRENT > 2 )); then
    local words=("\${words[@]}")
    local list=''
    case "\${words[2]} $verb" in
${cases(tree).replaceAll("words='", "list='")}
    esac
    words_="$list"
  fi
  compadd -- \${=words_}
}
compdef _nightcrew nightcrew
`;
}

function fishScript(tree: CompletionTree): string {
  const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = tree.flatMap(({ name, summary, flags, verbs }) => [
    `complete -c nightcrew -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
    ...verbs.map(
      (verb) =>
        `complete -c nightcrew -n '__fish_seen_subcommand_from ${name}; and test (count (commandline -opc)) -eq 2' -a ${verb.name} -d ${quoted(verb.summary)}`,
    ),
    ...flags.map((flag) => `complete -c nightcrew -n '__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)}`),
    ...verbs.flatMap((verb) =>
      verb.flags
        .filter((flag) => !flags.includes(flag))
        .map(
          (flag) =>
            `complete -c nightcrew -n '__fish_seen_subcommand_from ${name}; and __fish_seen_subcommand_from ${verb.name}' -l ${flag.slice(2)}`,
        ),
    ),
  ]);
  return `# fish completion of nightcrew: nightcrew completion fish | source\ncomplete -c nightcrew -f\n${lines.join('\n')}\n`;
}
