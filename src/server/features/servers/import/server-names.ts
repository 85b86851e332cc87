import { isPlainObject } from "../../../../lib/contract/json";
import { RESERVED_SERVER_NAMES, SERVER_NAME_PATTERN, SERVER_NAME_RULE } from "../../../../lib/contract/server";
import { normalizeEntry } from "./normalize-entry";

export function isAllowedName(name: string): boolean {
  return SERVER_NAME_PATTERN.test(name) && !RESERVED_SERVER_NAMES.includes(name);
}

/** The end of a sentence that begins with the name. */
export function describeNameProblem(name: string): string {
  if (RESERVED_SERVER_NAMES.includes(name)) return "is reserved for an address of the console";
  return `is not ${SERVER_NAME_RULE}`;
}

/** The closest allowed name that is free. */
export function findFreeName(wanted: string, isTaken: (name: string) => boolean): string {
  const trim = (text: string): string => text.replace(/^-+|[-_]+$/g, "");
  const clean = wanted
    .slice(0, 1000)
    .replace(/[^A-Za-z0-9_-]+/g, "-")
    .replace(/_{2,}/g, "_");
  let base = trim(trim(clean).slice(0, 50));
  if (!isAllowedName(base)) base = base === "" ? "server" : `${base}-server`;
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (!isTaken(name)) return name;
  }
}

/** Programs that only start another program, which is the server. */
const LAUNCHERS =
  /^(npx|bunx|uvx|pnpx|pnpm|npm|yarn|node|bun|deno|python3?|py|uv|pipx|docker|podman|cmd|sh|bash|wsl|env|dnx)$/;
const LAUNCHER_WORDS = new Set(["dlx", "exec", "x", "run", "tool", "start"]);
const IMAGE = /^[\w.-]+(?:\/[\w.-]+)+(?::[\w.-]+)?$/;

/** `npx -y @scope/server-files@1.0` → `server-files`; `https://mcp.example.com/mcp` → `mcp-example-com`. */
export function deriveName(given: unknown): string {
  if (!isPlainObject(given)) return "";
  const { command, args, url } = normalizeEntry(given);
  if (typeof url === "string" && URL.canParse(url)) return new URL(url).hostname.replaceAll(".", "-");
  if (typeof command !== "string") return "";
  const program = programName(command);
  if (!LAUNCHERS.test(program) || !Array.isArray(args)) return program;
  const words = args.filter((word): word is string => typeof word === "string" && !/^(?:-|\/[a-z]$)/i.test(word));
  const image = /^(docker|podman)$/.test(program) ? words.find((word) => IMAGE.test(word)) : undefined;
  const started = image ?? words.find((word) => !LAUNCHER_WORDS.has(word) && !LAUNCHERS.test(programName(word)));
  return started === undefined ? program : programName(started.replace(/(?<=.)[@:][^/@:]*$/, ""));
}

/** The last part of a path, without the extension of a program or script. */
export function programName(file: string): string {
  const last = file.split(/[\\/]/).findLast((part) => part !== "") ?? "";
  return last.replace(/\.(exe|cmd|bat|js|mjs|cjs|ts|py|sh)$/i, "");
}
