import { findServerKind } from "../../../../lib/contract/server-kind";
import { splitWords } from "../../../../lib/server-settings/split-command-line";
import { type NamedEntry, namedEntry } from "./named-entry";
import type { Entry } from "./normalize-entry";

/** Options with a value, by their long name. */
const WITH_VALUE: ReadonlyMap<string, string> = new Map([
  ...["transport", "scope", "env", "header", "url", "timeout", "description", "cwd"].map(
    (name) => [`--${name}`, name] as const,
  ),
  ...["bearer-token-env-var", "include-tools", "exclude-tools", "client-id", "callback-port"].map(
    (name) => [`--${name}`, name] as const,
  ),
  // Options of Auggie and Droid.
  ["--command", "command"],
  ["--args", "args"],
  ["--type", "transport"],
  ["--tools", "include-tools"],
  ["-t", "transport"],
  ["-s", "scope"],
  ["-e", "env"],
  ["-H", "header"],
]);
/** Options of a client's storage, and others without a counterpart here. */
const WITHOUT_EFFECT = ["scope", "description", "callback-port"];

/** Parses the words after `mcp add`: `--transport http name https://… --header "K: v"`, `name -e K=V -- npx -y package`. */
export function addCommandEntry(words: readonly string[]): NamedEntry {
  const command = new AddCommand(words);
  return command.read();
}

/** Options of add-mcp and install-mcp that name the target. */
const SOURCE_OPTIONS: ReadonlyMap<string, string> = new Map([
  ...WITH_VALUE,
  ["-n", "name"],
  ["--name", "name"],
  ["-a", "agent"],
  ["--agent", "agent"],
  ["-c", "agent"],
  ["--client", "agent"],
]);
const SOURCE_FLAGS = ["-g", "--global", "-y", "--yes", "--all", "--gitignore"];

/**
 * Parses the words after `add-mcp`: an address, a package of npm, or a command line in one word
 * (github.com/neondatabase/add-mcp, README).
 */
export function addSourceEntry(words: readonly string[]): NamedEntry {
  const kept = words.filter((word) => !SOURCE_FLAGS.includes(word));
  return new AddCommand(kept, SOURCE_OPTIONS).readSource();
}

class AddCommand {
  readonly #words: string[];
  readonly #values = new Map<string, string[]>();
  readonly #positional: string[] = [];
  readonly #notes: string[] = [];
  /** The words after `--`, or after the program where there is none. */
  #program: string[] = [];

  constructor(
    words: readonly string[],
    readonly options: ReadonlyMap<string, string> = WITH_VALUE,
  ) {
    this.#words = [...words];
  }

  readSource(): NamedEntry {
    while (this.#words.length > 0) {
      const word = this.#words.shift() as string;
      if (/^--?[A-Za-z]/.test(word)) this.#option(word);
      else this.#positional.push(word);
    }
    const [source, ...more] = this.#positional;
    const name = this.#last("name") ?? null;
    if (more.length > 0) this.#notes.push(`ignored: ${more.map((word) => word.slice(0, 100)).join(", ")}`);
    if (source === undefined)
      return { ...namedEntry(name, null), problems: ["The command: the source of the server is missing"] };
    if (/^https?:/.test(source)) return namedEntry(name, this.#remoteEntry(source), this.#notes);
    const program = /\s/.test(source.trim()) ? (splitWords(source) ?? [source]) : ["npx", "-y", source];
    return namedEntry(name, this.#localEntry(program), this.#notes);
  }

  read(): NamedEntry {
    while (this.#words.length > 0) {
      const word = this.#words.shift() as string;
      if (word === "--") {
        this.#program = this.#words.splice(0);
        break;
      }
      if (/^--?[A-Za-z]/.test(word)) this.#option(word);
      else this.#positional.push(word);
      // Without `--`, everything after the program belongs to it. Droid has the whole command in one word, followed by
      // options.
      const isWhole = /\s/.test(this.#positional[1]?.trim() ?? "");
      if (this.#positional.length === 2 && !isWhole && this.#url() === undefined && !this.#words.includes("--")) {
        this.#program = [...this.#positional.splice(1), ...this.#words.splice(0)];
      }
    }
    const [name = null, ...rest] = this.#positional;
    const given = this.#program.length > 0 ? this.#program : rest;
    const command = this.#last("command");
    const args = (this.#values.get("args") ?? []).flatMap((text) => splitWords(text) ?? [text]);
    const program = command === undefined ? given : [command, ...args];
    const ignored = WITHOUT_EFFECT.filter((option) => option !== "scope" && this.#values.has(option));
    if (ignored.length > 0) this.#notes.push(`ignored: ${ignored.map((option) => `--${option}`).join(", ")}`);
    const url = this.#url();
    const entry = url === undefined ? this.#localEntry(program) : this.#remoteEntry(url);
    return namedEntry(name, { ...entry, ...this.#sharedFields() }, this.#notes);
  }

  #option(word: string): void {
    const [, long = word, value] = /^(--[^=]+)=([\s\S]*)$/.exec(word) ?? [];
    const option = this.options.get(long);
    if (option === undefined) {
      if (long === "--trust") this.#notes.push("--trust: not imported; set approvals in Toolroom instead");
      else this.#notes.push(`ignored: ${long.slice(0, 100)}`);
      return;
    }
    const values = this.#values.get(option) ?? [];
    this.#values.set(option, values);
    if (value !== undefined) values.push(value);
    else if (this.#words.length > 0) values.push(this.#words.shift() as string);
    // `--env A=1 B=2` and several headers after one option.
    const more = option === "env" ? /^[A-Za-z_]\w*=/ : option === "header" ? /^[\w-]+:\s/ : null;
    while (more?.test(this.#words[0] ?? "")) values.push(this.#words.shift() as string);
  }

  #last(option: string): string | undefined {
    return this.#values.get(option)?.at(-1);
  }

  #url(): string | undefined {
    const second = this.#positional[1];
    const kind = findServerKind(this.#last("transport"));
    const isRemote = kind?.target === "address" || /^https?:\/\//.test(second ?? "");
    return this.#last("url") ?? (isRemote ? second : undefined);
  }

  #localEntry([command, ...args]: readonly string[]): Entry {
    return { ...(command === undefined ? {} : { command }), args, env: pairs(this.#values.get("env") ?? [], "=") };
  }

  #remoteEntry(url: string): Entry {
    const transport = this.#last("transport");
    const bearer = this.#last("bearer-token-env-var");
    const clientId = this.#last("client-id");
    return {
      url,
      ...(transport && findServerKind(transport)?.target !== "command" ? { type: transport } : {}),
      headers: pairs(this.#values.get("header") ?? [], ":"),
      ...(bearer === undefined ? {} : { bearer_token_env_var: bearer }),
      ...(clientId === undefined ? {} : { oauth: { clientId } }),
    };
  }

  #sharedFields(): Entry {
    const list = (option: string): string[] | undefined =>
      this.#values.get(option)?.flatMap((text) => text.split(",").map((name) => name.trim()));
    const timeout = Number(this.#last("timeout"));
    const only = list("include-tools");
    const except = list("exclude-tools");
    const cwd = this.#last("cwd");
    return {
      ...(Number.isFinite(timeout) ? { timeoutMs: timeout } : {}),
      ...(only === undefined ? {} : { includeTools: only }),
      ...(except === undefined ? {} : { excludeTools: except }),
      ...(cwd === undefined ? {} : { cwd }),
    };
  }
}

/** `KEY=value`, `Name: value`; a text without the separator becomes a name with an empty value, which the form shows. */
function pairs(texts: readonly string[], separator: string): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      // Amp writes headers as `Name=value`.
      const at = separator === ":" && !/^[\w-]+\s*:/.test(text) ? text.indexOf("=") : text.indexOf(separator);
      return at === -1
        ? [text, ""]
        : [text.slice(0, at).trim(), separator === ":" ? text.slice(at + 1).trim() : text.slice(at + 1)];
    }),
  );
}
