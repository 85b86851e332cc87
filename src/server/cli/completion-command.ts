import type { Command, Option } from "commander";
import { usageError } from "./command-error";
import type { CommandIo } from "./command-io";
import { defineCommand } from "./define-command";
import { write } from "./output";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

/** The words that may follow a command. */
interface CommandPath {
  /** The command after `toolroom`, joined by spaces; empty for the program itself. */
  path: string;
  commands: { name: string; summary: string }[];
  options: { flag: string; summary: string }[];
}

export function addCompletionCommand(program: Command, io: CommandIo): void {
  defineCommand(program, {
    syntax: "completion <shell>",
    summary: `Print a script that completes commands and options: ${SHELLS.join(", ")}`,
    examples: [
      ["source <(toolroom completion bash)", "in ~/.bashrc; zsh alike in ~/.zshrc"],
      ["toolroom completion fish > ~/.config/fish/completions/toolroom.fish", "once, for fish"],
    ],
  }).action(async (shell: string) => {
    const known = SHELLS.find((each) => each === shell);
    if (known === undefined) throw usageError(`There is no completion for "${shell}": use ${SHELLS.join(", ")}.`);
    await write(io.stdout, formatCompletion(known, listPaths(program)));
  });
}

function listPaths(command: Command, path = ""): CommandPath[] {
  const help = command.createHelp();
  const inner = command.commands.map((each) => ({ name: each.name(), summary: each.summary() || each.description() }));
  const options = help
    .visibleOptions(command)
    .flatMap(({ long, description }: Option) =>
      long === undefined || long === null ? [] : [{ flag: long, summary: description }],
    );
  const below = command.commands.flatMap((each) => listPaths(each, `${path} ${each.name()}`.trim()));
  return [{ path, commands: inner, options }, ...below];
}

function formatCompletion(shell: Shell, paths: readonly CommandPath[]): string {
  return { bash: formatBash, zsh: formatZsh, fish: formatFish }[shell](paths);
}

/** The words behind `toolroom` that are commands lead to the words that may follow. */
function formatBash(paths: readonly CommandPath[]): string {
  const cases = paths.map(({ path, commands, options }) => {
    const words = [...commands.map(({ name }) => name), ...options.map(({ flag }) => flag)];
    return `    ${quote(path)}) words=${quote(words.join(" "))} ;;`;
  });
  return `# bash completion of toolroom
_toolroom() {
  local path="" word words="" at
  for ((at = 1; at < COMP_CWORD; at++)); do
    word="\${COMP_WORDS[at]}"
    case " $_toolroom_paths " in
      *" \${path:+\${path}/}\${word} "*) path="\${path:+\${path}/}\${word}" ;;
    esac
  done
  case "\${path//\\// }" in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
  if [[ \${#COMPREPLY[@]} -eq 0 ]]; then COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")); fi
}
_toolroom_paths=${quote(listSlashed(paths))}
complete -F _toolroom toolroom
`;
}

function formatZsh(paths: readonly CommandPath[]): string {
  const cases = paths.map(({ path, commands, options }) => {
    const words = [
      ...commands.map(({ name, summary }) => `${name}:${summary}`),
      ...options.map(({ flag, summary }) => `${flag}:${summary}`),
    ];
    return `    ${quote(path)}) entries=(${words.map((word) => quote(toOneLine(word))).join(" ")}) ;;`;
  });
  return `#compdef toolroom
_toolroom() {
  local path_="" word
  local -a entries
  for word in "\${words[@]:1:$((CURRENT - 2))}"; do
    case " $_toolroom_paths " in
      *" \${path_:+\${path_}/}\${word} "*) path_="\${path_:+\${path_}/}\${word}" ;;
    esac
  done
  case "\${path_//\\// }" in
${cases.join("\n")}
  esac
  _describe toolroom entries || _files
}
_toolroom_paths=${quote(listSlashed(paths))}
compdef _toolroom toolroom
`;
}

function formatFish(paths: readonly CommandPath[]): string {
  const lines = paths.flatMap(({ path, commands, options }) => {
    const rule = `complete -c toolroom -n ${quote(`__toolroom_at "${path.replaceAll(" ", "/")}"`)}`;
    return [
      ...commands.map(({ name, summary }) => `${rule} -f -a ${name} -d ${quote(toOneLine(summary))}`),
      ...options.map(({ flag, summary }) => `${rule} -l ${flag.slice(2)} -d ${quote(toOneLine(summary))}`),
    ];
  });
  return `# fish completion of toolroom
function __toolroom_at
  set -l path
  for word in (commandline -opc)[2..-1]
    set -l next (string join / $path $word)
    if contains -- $next ${listSlashed(paths)}
      set path $next
    end
  end
  test "$path" = "$argv[1]"
end
${lines.join("\n")}
`;
}

const listSlashed = (paths: readonly CommandPath[]): string =>
  paths.flatMap(({ path }) => (path === "" ? [] : [path.replaceAll(" ", "/")])).join(" ");

const toOneLine = (text: string): string => text.replace(/\s+/g, " ");

/** One word for bash, zsh and fish: no text here holds a single quote that fish would read otherwise. */
const quote = (text: string): string => `'${text.replaceAll("'", "’")}'`;
