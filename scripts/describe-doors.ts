import type { Command } from "commander";
import { buildProgram } from "../src/server/cli/main";
import { ROUTES } from "../src/server/main/api/rest/routes";
import { describeClients } from "./describe-clients";

/** The documents that have generated blocks: what stands in a block, by its name. `npm run docs` writes them. */
export const BLOCKS: Readonly<Record<string, { name: string; write: () => string }>> = {
  "docs/rest-api.md": { name: "routes", write: describeRoutes },
  "docs/command-line.md": { name: "commands", write: describeCommands },
  "docs/clients.md": { name: "clients", write: describeClients },
};

/** @returns the text with the block between its two comments replaced. @throws Error where it has no such block */
export function replaceBlock(text: string, name: string, block: string): string {
  const begin = `<!-- ${name}: npm run docs writes them -->`;
  const end = `<!-- end of ${name} -->`;
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from === -1 || to < from) throw new Error(`The document has no block of ${name}`);
  return `${text.slice(0, from)}${begin}\n\n${block}\n\n${text.slice(to)}`;
}

/** The first sentence: documents give an overview, the OpenAPI document and `--help` the rest. */
const shorten = (summary: string): string => summary.split(/\. |[:;] /, 1)[0] ?? "";

/** Up to the first comma behind four words, since routes are many. */
const cut = (sentence: string): string => /^(?:\S+ ){3,}?\S+(?=, )/.exec(sentence)?.[0] ?? sentence;

/** A line for each path: its methods, and what the first one does unless it is about a whole thing, as `/tools/{name}`. */
function describeRoutes(): string {
  const nouns = new Map<string, Map<string, { methods: string[]; summary: string }>>();
  for (const { method, path, summary, successor } of ROUTES) {
    if (successor !== undefined) continue;
    const noun = path.split("/")[1] ?? "";
    const paths = nouns.get(noun) ?? new Map();
    nouns.set(noun, paths);
    const known = paths.get(path);
    if (known === undefined) paths.set(path, { methods: [method], summary });
    else known.methods.push(method);
  }
  const lines = [...nouns.values()].map((paths) =>
    [...paths].map(([path, { methods, summary }]) => {
      const isPlain = /^\/[^/]+\/\{\w+\}$/.test(path);
      return `${methods.join(" ").padEnd(21)} ${path.padEnd(44)} ${isPlain ? "" : cut(shorten(summary))}`.trimEnd();
    }),
  );
  return toCodeBlock(lines.map((each) => each.join("\n")).join("\n\n"));
}

function describeCommands(): string {
  const nowhere = { version: "0", env: {}, stdout: process.stdout, stderr: process.stderr };
  const program = buildProgram(nowhere as never);
  const groups = program.commands.map((command) => listCommands(command, "toolroom"));
  const single = groups.filter((lines) => lines.length === 1).flat();
  const others = groups.filter((lines) => lines.length > 1).map((lines) => lines.join("\n"));
  return toCodeBlock([single.join("\n"), ...others].join("\n\n"));
}

function listCommands(command: Command, parent: string): string[] {
  const name = `${parent} ${command.name()}`;
  if (command.commands.length > 0) return command.commands.flatMap((each) => listCommands(each, name));
  const words = command.registeredArguments.map((each) => {
    const text = `${each.name()}${each.variadic ? "..." : ""}`;
    return each.required ? `<${text}>` : `[${text}]`;
  });
  return [`${[name, ...words].join(" ").padEnd(44)} ${shorten(command.summary() || command.description())}`];
}

const toCodeBlock = (lines: string): string => `\`\`\`\n${lines}\n\`\`\``;
