import { splitCommandLine } from "./split-command-line";

/** The download that a start waits for before the program runs. */
type Fetched = { kind: "package" | "image"; name: string | null };

/** Options of launchers that take a value. */
const WITH_VALUE = new Set([
  "-p",
  "--package",
  "-c",
  "--cache",
  "--from",
  "--with",
  "--python",
  "--index-url",
  "--registry",
]);
/** Words between a launcher and its package. */
const SUBCOMMANDS = new Set(["exec", "x", "dlx", "run", "tool"]);
const RUNNERS = new Set(["npx", "bunx", "pnpx", "uvx", "dnx"]);
const MANAGERS = new Set(["npm", "pnpm", "yarn", "bun", "uv", "pipx"]);

/** A line of a package runner, which says nothing of the program that it will start. */
const RUNNER_LINE =
  /^\s*(?:npm\b|npx\b|warn(?:ing)?\b|error:|unable to find image|\w[\w.-]*: pulling|digest:|status:|(?:downloading|downloaded|installed|installing|resolved|resolving|prepared|preparing|building|built|updated|updating|fetching|pulling|extracting|creating|using|audited|added|uninstalled)\b)/i;

/** Names what a command downloads at its first start; null for a program that is there. */
function findFetched(target: string): Fetched | null {
  const line = splitCommandLine(target);
  if (line === null) return null;
  const program = (line.command.split(/[\\/]/).at(-1) ?? "").replace(/\.(?:exe|cmd)$/i, "").toLowerCase();
  const [first = ""] = line.args;
  if (program === "docker" || program === "podman") return first === "run" ? { kind: "image", name: null } : null;
  if (RUNNERS.has(program)) return { kind: "package", name: findPackage(line.args) };
  if (!MANAGERS.has(program) || !SUBCOMMANDS.has(first)) return null;
  // `npm run` and `bun run` start what is there; `uv run` may have to install it.
  if (first === "run" && program !== "pipx" && program !== "uv") return null;
  const rest = line.args.filter((word, at) => at > 1 || !SUBCOMMANDS.has(word));
  return { kind: "package", name: program === "uv" && first === "run" ? null : findPackage(rest) };
}

function findPackage(args: readonly string[]): string | null {
  const from = args.findIndex((word) => word === "-p" || word === "--package" || word === "--from");
  if (from >= 0) return args[from + 1] ?? null;
  return args.find((word, at) => !word.startsWith("-") && !WITH_VALUE.has(args[at - 1] ?? "")) ?? null;
}

interface Connecting {
  isLocal: boolean;
  /** The command line or the address. */
  target: string;
  /** Whether it has never listed its tools. */
  isFirst: boolean;
  /** The lines that it has written since it was started, oldest first. */
  output?: readonly string[];
}

/** Describes what a server that connects does now, as far as its command and its output tell. */
export function describeConnecting({ isLocal, target, isFirst, output = [] }: Connecting): string {
  if (!isLocal) return `Waiting for an answer from ${URL.canParse(target) ? new URL(target).host : "the server"}`;
  const fetched = isFirst ? findFetched(target) : null;
  if (fetched === null || output.some((line) => !RUNNER_LINE.test(line))) return "Starting the server";
  if (fetched.kind === "image") return "Pulling the image";
  return fetched.name === null ? "Downloading the package" : `Downloading the package ${fetched.name}`;
}
