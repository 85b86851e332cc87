import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import packageJson from "../package.json" with { type: "json" };
import { buildProgram } from "../src/server/cli/main";
import { ROUTES } from "../src/server/main/api/rest/routes";
import { BLOCKS, replaceBlock } from "./describe-doors";
import { ROOT } from "./project-root.mjs";

/** Decisions and measurements tell of what was. */
const HISTORY = /^(?:docs\/decisions\/|bench\/RESULTS\.md|CHANGELOG\.md)/;
const documents = execFileSync("git", ["ls-files", "*.md"], { cwd: ROOT, encoding: "utf8" })
  .split("\n")
  .filter((file) => file !== "" && !HISTORY.test(file));

interface Code {
  file: string;
  text: string;
}

const read = (file: string): string => readFileSync(path.join(ROOT, file), "utf8");
/** A test of its own compares these. */
const GENERATED = /<!-- (\w+): npm run docs [\s\S]*?<!-- end of \1 -->/g;

/** The lines of code blocks, and the code in sentences. */
const code: Code[] = documents.flatMap((file) => {
  const text = read(file).replaceAll(GENERATED, "");
  const blocks = [...text.matchAll(/^ *```\w*\n([\s\S]*?)^ *```/gm)].flatMap(([, block = ""]) =>
    block.replaceAll(/\\\n\s*/g, " ").split("\n"),
  );
  const prose = text.replaceAll(/^ *```[\s\S]*?^ *```/gm, "");
  const spans = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, span = ""]) => span);
  return [...blocks, ...spans].map((line) => ({ file, text: line.trim() }));
});

const findAll = (pattern: RegExp): { file: string; found: string }[] =>
  code.flatMap(({ file, text }) => [...text.matchAll(pattern)].map(([, found = ""]) => ({ file, found })));

/** The program only describes itself here. */
const program = buildProgram({
  version: "0",
  env: {},
  stdout: process.stdout,
  stderr: process.stderr,
} as never);
const PROGRAM = /^(?:\$ )?(?:toolroom|npx (?:-y )?\S*toolroom\S*\.tgz|npm run -s toolroom --)(?: (.*))?$/;
/** The names under which copies connect to PostgreSQL. */
const APPLICATIONS = /^toolroom (?:pool|journal|copies|at <address>)$/;
/** Its words are fields of the tool. */
const FREE = new Set(["call"]);

const hasOption = (command: Command, flag: string): boolean =>
  ["--help", "-h"].includes(flag) ||
  command.options.some(({ long, short }) => long === flag || short === flag) ||
  (command.parent !== null && hasOption(command.parent, flag));

/** Finds the first word or option of a documented command line that the program does not have. */
function findUnknownWords(words: string[]): string | null {
  let command = program;
  while (words[0] !== undefined && command.commands.length > 0) {
    const [word] = words;
    const next = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
    if (next === undefined) break;
    command = next;
    words = words.slice(1);
  }
  const [word] = words;
  if (command.commands.length > 0 && word !== undefined && /^[a-z][\w-]*$/.test(word)) return word;
  if (FREE.has(command.name())) return null;
  return (
    words.filter((one) => /^--?[a-z][\w-]*/.test(one)).find((one) => !hasOption(command, one.replace(/=.*/, ""))) ??
    null
  );
}

/** Words up to the end of the command: a comment, a pipe, an argument for another program. */
const toWords = (text: string): string[] =>
  text
    .replace(/ (?:#|\||&&|>|;) .*$| -- .*$/, "")
    .replace(/\s{3,}.*$/, "")
    .replaceAll(/'[^']*'|"[^"]*"/g, "quoted")
    .split(/\s+/)
    .filter(Boolean);

const PARAMETER = /^(?:<.+>|\{.+\}|\[.+\]|:.+|…|\.\.\.|\*)$/;

/** Whether a documented path matches a known one; a parameter matches any segment. */
function fits(documented: string, known: string): boolean {
  const parts = documented.split("/");
  const shape = known.split("/");
  if (shape.at(-1)?.startsWith("[...") === true) return parts.length >= shape.length - 1;
  return (
    parts.length === shape.length &&
    parts.every((part, at) => part === shape[at] || PARAMETER.test(part) || PARAMETER.test(shape[at] ?? ""))
  );
}

/** The addresses that the console's folders serve. */
const pages = readdirSync(path.join(ROOT, "src/app"), { recursive: true, encoding: "utf8" })
  .map((file) => file.split(path.sep).join("/"))
  .filter((file) => /(?:^|\/)(?:page|route)\.tsx?$/.test(file))
  .map((file) => `/${path.posix.dirname(file)}`.replaceAll(/\/\([^)]*\)|\/\.$/g, ""));
/** Answered before the console: see `server.mjs` and the gateway. */
const SERVED = /^\/(?:mcp|healthz|readyz|metrics|api|v0\.1|\.well-known|oauth|_next)(?:[/?]|$)/;
/** Paths of the file system and of other hosts. */
const FOREIGN = /^\/(?:dev|data|etc|usr|opt|proc|tmp|var|home|bin|backups|run|srv|mnt|Users|wind|tree)(?:[/?]|$)/;

describe("what documents name", () => {
  it("are scripts of package.json", () => {
    const known = Object.keys(packageJson.scripts);
    const unknown = findAll(/\bnpm run (?:-s )?([\w:]+)/g).filter(({ found }) => !known.includes(found));
    expect(unknown).toEqual([]);
    expect(findAll(/\bnpm run (?:-s )?([\w:]+)/g).length).toBeGreaterThan(30);
  });

  it("are commands and options of the program", () => {
    const lines = code.flatMap(({ file, text }) => {
      const line = PROGRAM.exec(text)?.[1];
      return line === undefined || APPLICATIONS.test(text)
        ? []
        : [{ file, text, unknown: findUnknownWords(toWords(line)) }];
    });
    expect(lines.length).toBeGreaterThan(60);
    expect(lines.filter(({ unknown }) => unknown !== null)).toEqual([]);
  });

  it.each([
    ["executions list --nope", "--nope"],
    ["cassettes servee a.jsonl", "servee"],
    ["frobnicate", "frobnicate"],
    ["cassettes serve a.jsonl --faults error=0.1", null],
  ])("are recognized, and others reported: %s", (line, unknown) => {
    expect(findUnknownWords(line.split(" "))).toBe(unknown);
  });

  it("are routes of the REST API", () => {
    const named = findAll(/(?:^|[\s"'/]|:\d+)(?<!\w)(\/api\/v1\/[^\s`"'?)|,#]*)/g);
    const known = [...ROUTES.map(({ path }) => `/api/v1${path}`), "/api/v1/health", "/api/v1/openapi.json"];
    expect(named.length).toBeGreaterThan(4);
    expect(named.filter(({ found }) => !known.some((route) => fits(found.replace(/\/$/, ""), route)))).toEqual([]);
  });

  it.each(Object.entries(BLOCKS))(
    "are all routes and commands that there are: %s is as `npm run docs` writes it",
    (file, block) => {
      const text = read(file);
      expect(replaceBlock(text, block.name, block.write())).toBe(text);
    },
  );

  it("are environment variables that the program reads", () => {
    const sources = execFileSync(
      "git",
      ["ls-files", "src", "scripts", "server.mjs", "Dockerfile", "examples/github/check-tools.yml"],
      {
        cwd: ROOT,
        encoding: "utf8",
      },
    )
      .split("\n")
      .filter((file) => file !== "" && !/\.test\./.test(file));
    const text = sources.map(read).join("\n");
    const unknown = findAll(/\b(TOOLROOM_[A-Z_]+)\b/g).filter(({ found }) => !new RegExp(`\\b${found}\\b`).test(text));
    expect(unknown).toEqual([]);
  });

  it("are pages of the console", () => {
    const named = findAll(/^(?:[A-Z]+ )?(\/[a-z][^\s`?#]*)/g).filter(
      ({ found }) => !SERVED.test(found) && !FOREIGN.test(found),
    );
    expect(named.filter(({ found }) => !pages.some((page) => fits(found.replace(/\/$/, ""), page)))).toEqual([]);
    expect(named.length).toBeGreaterThan(3);
  });
});
