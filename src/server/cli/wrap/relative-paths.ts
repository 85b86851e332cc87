import path from "node:path";

/** How a server is started, in one spelling. */
export interface StartedServer {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
}

/** Programs that start the project in the current folder, unless an option names another one. */
const RUNS_PROJECT: ReadonlyMap<string, RegExp> = new Map([
  ["npm", /^(?:run|run-script|start|exec|test)$/],
  ["pnpm", /^(?:run|start|exec)$/],
  ["yarn", /^(?!dlx$).*$/],
  ["bun", /^(?:run|start)$/],
  ["deno", /^task$/],
  ["uv", /^run$/],
  ["poetry", /^run$/],
  ["pipenv", /^run$/],
  ["pdm", /^run$/],
  ["hatch", /^run$/],
  ["cargo", /^run$/],
  ["dotnet", /^(?:run|watch)$/],
  ["go", /^run$/],
  ["make", /^.*$/],
  ["just", /^.*$/],
  ["mvn", /^.*$/],
  ["gradle", /^.*$/],
]);
/** Options that name the folder or project to use instead. */
const FOLDER_OPTION = /^(?:--(?:directory|project|project-dir|prefix|dir|cwd|root|manifest-path)|-C)$/;
/** A `uv run` that needs no project. */
const WITHOUT_PROJECT = /^--(?:with|from|script|no-project|isolated)(?:=|$)/;

/** Programs whose first word without a dash is a file. */
const INTERPRETER =
  /^(?:node|nodejs|tsx|ts-node|bun|deno|python[\d.]*|py|pypy3?|ruby|php|perl|lua|bash|sh|zsh|fish|pwsh|powershell|rscript|java)$/;
/** No file follows these options of an interpreter, but a module or a program's text. */
const INLINE_PROGRAM = /^(?:-m|-c|-e|-p|--eval|--print|-jar|-cp|-classpath|-Command|-File)$/;
/** Options of interpreters whose value is not the file. */
const WITH_VALUE = /^(?:-r|--require|--import|--loader|--experimental-loader|--env-file|-W|-X|--config|-c)$/;
const SUBCOMMAND = /^(?:run|x|exec|watch|tool)$/;
const SHELL = /^(?:bash|sh|zsh|fish|cmd|pwsh|powershell)$/;
/** Programs whose words look like paths: packages, images, repositories. */
const TAKES_PACKAGES = /^(?:npx|pnpx|bunx|uvx|pipx|docker|podman|nerdctl|dnx)$/;

const FILE_ENDING =
  /\.(?:[cm]?[jt]sx?|py[cwz]?|rb|php|pl|lua|sh|bash|ps1|bat|cmd|exe|jar|wasm|go|rs|dll|[cf]sproj|sln|json[c5l]?|ya?ml|toml|ini|conf|cfg|env|xml|db|sqlite3?|duckdb|csv|tsv|txt|md|pem|key|crt|log|parquet|pdf|sql|html?)$/i;
/** Names of options and variables whose value is a path. */
const PATH_NAME = /(?:^|[-_])(?:path|dir|directory|folder|file)$/i;
const MAYBE_PATH_NAME =
  /(?:^|[-_])(?:root|config|repository|repo-path|workspace|database|db|data|storage|output|input|vault|cache)$/i;

/**
 * A part of a server's command line or environment whose meaning depends on the folder in which it is started; null
 * where there is none. In doubt a word is a path: a server that stays works, one that moves to another folder may
 * break.
 */
export function findRelativePath({ command, args, env }: StartedServer): string | null {
  if (isRelative(command) && hasSeparator(command)) return command;
  const program = getProgram(command);
  const inValues = Object.entries(env).find(([name, value]) => isPathValue(name, value));
  if (inValues !== undefined) return inValues[1];
  if (namesFolder(args)) return null;
  const first = args.find((word) => !word.startsWith("-")) ?? "";
  if (RUNS_PROJECT.get(program)?.test(first) === true && !args.some((word) => WITHOUT_PROJECT.test(word))) {
    return [program, first].join(" ").trim();
  }
  return (INTERPRETER.test(program) ? findScript(program, args) : null) ?? findInWords(program, args);
}

/** The program's name, without the folder and the ending that Windows adds. */
function getProgram(command: string): string {
  return (command.split(/[\\/]/).at(-1) ?? "").replace(/\.(?:exe|cmd|bat|ps1)$/i, "").toLowerCase();
}

/** Whether an option names the base folder of relative words. */
function namesFolder(args: readonly string[]): boolean {
  return args.some((word, at) => {
    const [name = "", value] = word.split("=", 2);
    return FOLDER_OPTION.test(name) && isAbsolute(value ?? args[at + 1] ?? "");
  });
}

function findScript(program: string, args: readonly string[]): string | null {
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? "";
    if (INLINE_PROGRAM.test(word)) return SHELL.test(program) ? findInShellText(args[at + 1] ?? "") : null;
    if (WITH_VALUE.test(word)) at += 1;
    else if (!word.startsWith("-") && !(SUBCOMMAND.test(word) && args.length > at + 1)) {
      return isRelative(word) && !/^(?:npm|jsr|node|https?):/.test(word) ? word : null;
    }
  }
  return null;
}

/** A command line for a shell, which may change the folder itself. */
function findInShellText(text: string): string | null {
  if (/\bcd\s+["']?(?:[~/$%]|[A-Za-z]:)/.test(text)) return null;
  const [command = "", ...args] = text.split(/["'\s;&|()]+/).filter((word) => word !== "");
  return command === "" ? null : findRelativePath({ command, args, env: {} });
}

function findInWords(program: string, args: readonly string[]): string | null {
  let isPackage = TAKES_PACKAGES.test(program);
  for (const [at, word] of args.entries()) {
    const [, name, value] = /^-{0,2}([\w.-]+)=(.*)$/s.exec(word) ?? [];
    if (name !== undefined && value !== undefined) {
      if (isPathValue(name, value)) return value;
      continue;
    }
    if (word.startsWith("-")) continue;
    const before = args[at - 1] ?? "";
    if (isPackage && !/^(?:--?(?:package|p|from|with)|-f|--file|--env-file)$/.test(before)) {
      // The package itself; what follows are the server's own words.
      isPackage = /^(?:docker|podman|nerdctl)$/.test(program);
      if (!isExplicit(word)) continue;
    }
    if (isPathValue(before.startsWith("-") ? before.replace(/^-+/, "") : "", word)) return word;
  }
  return null;
}

/** @param name the name of the option or variable; empty for none */
function isPathValue(name: string, value: string): boolean {
  if (isExplicit(value)) return true;
  if (!isRelative(value) || /\s/.test(value)) return false;
  if (FILE_ENDING.test(value) || PATH_NAME.test(name)) return true;
  return MAYBE_PATH_NAME.test(name) && hasSeparator(value);
}

const isExplicit = (word: string): boolean => /^\.{1,2}(?:[\\/]|$)/.test(word);
const hasSeparator = (word: string): boolean => /[\\/]/.test(word);

function isAbsolute(word: string): boolean {
  return path.posix.isAbsolute(word) || path.win32.isAbsolute(word) || /^[~$%]/.test(word);
}

/** Whether a word can be a relative path: not an absolute path, an address, a package, a number or empty. */
function isRelative(word: string): boolean {
  return word !== "" && !isAbsolute(word) && !/^[@-]|^[A-Za-z][\w+.-]*:|^\d+$/.test(word);
}
