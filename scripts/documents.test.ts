import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "./project-root.mjs";

const ENDING = "(?:tsx?|mjs|cjs|css|prisma|md|spec|json)";
/** `a/b.ts`, `b.ts`, `{a,b}.ts`: a file is named by the end of its path. */
const FILE = new RegExp(`^[\\w.@/{},[\\]-]+\\.${ENDING}$`);
/** `src/server/engine`: a folder or file is named from the root. */
const FROM_ROOT = /^(?:src|e2e|bench|scripts|prisma|config|examples|docs)\/[\w.@/{},[\]-]*$/;
/** Files of users and of other programs. */
const ELSEWHERE =
  /^(?:(?:mcp|tool|toolroom|catalog|config|settings|claude_desktop_config|server|manifest|openapi|tools\.baseline)\.json|server\.mjs)$/;

const run = (...args: string[]): string[] =>
  execFileSync("git", args, { cwd: ROOT, encoding: "utf8", maxBuffer: 1e8 }).split("\n").filter(Boolean);

const tracked = run("ls-files", "--cached", "--others", "--exclude-standard").filter((file) =>
  existsSync(path.join(ROOT, file)),
);
const documents = tracked.filter((file) => file.endsWith(".md"));
const read = (file: string): string => readFileSync(path.join(ROOT, file), "utf8");

/** Every end of a path, and every folder. */
const known = new Set(
  tracked.flatMap((file) => {
    const parts = file.split("/");
    return parts.flatMap((_, at) => [parts.slice(at).join("/"), parts.slice(0, at + 1).join("/")]);
  }),
);

/** @returns `a/b.ts` and `a/c.ts` for `a/{b,c}.ts` */
function expandBraces(text: string): string[] {
  const [, before = "", inner, after = ""] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(text) ?? [];
  return inner === undefined ? [text] : inner.split(",").flatMap((part) => expandBraces(before + part + after));
}

function findMissingNames(file: string): string[] {
  const prose = read(file).replaceAll(/^```[\s\S]*?^```/gm, "");
  return [...prose.matchAll(/`([^`\s]+)`/g)]
    .map(([, name = ""]) => name.replace(/\/$/, ""))
    .filter((name) => (FILE.test(name) || FROM_ROOT.test(name)) && !ELSEWHERE.test(path.basename(name)))
    .flatMap(expandBraces)
    .filter((name) => !known.has(name) && !existsSync(path.join(ROOT, path.dirname(file), name)))
    .map((name) => `${file} names ${name}, which does not exist`);
}

/** The address of a heading inside its page, as GitHub makes it. */
const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, "")
    .replaceAll(" ", "-");

const MARKDOWN_LINK = /\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]+))?\)/g;
const HTML_LINK = /(?:src|srcset|href)="(?![a-z]+:)([^"#\s]*)(?:#([^"\s]+))?"/g;

function findBrokenLinks(file: string): string[] {
  const prose = read(file).replaceAll(/^ *```[\s\S]*?^ *```/gm, "");
  return [...prose.matchAll(MARKDOWN_LINK), ...prose.matchAll(HTML_LINK)]
    .filter(([, name = "", anchor]) => {
      const target = name === "" ? file : path.join(path.dirname(file), name);
      if (!existsSync(path.join(ROOT, target))) return true;
      const headings = anchor === undefined ? [] : [...read(target).matchAll(/^#+ (.*)$/gm)];
      return anchor !== undefined && !headings.some(([, heading = ""]) => toAnchor(heading) === anchor);
    })
    .map(([link]) => `${file} links to ${link}, which does not exist`);
}

describe("documents", () => {
  it("name only files and folders that exist", () => {
    expect(documents.flatMap(findMissingNames)).toEqual([]);
  });

  it("link only to files and headings that exist", () => {
    expect(documents.flatMap(findBrokenLinks)).toEqual([]);
  });

  it("let a reader take in the README: at most 650 words, five pictures and a recording", () => {
    const readme = read("README.md");
    const words = readme
      .replaceAll(/<[^>]*>|\]\([^)]*\)/g, " ")
      .split(/[\s|]+/)
      .filter((word) => /\w/.test(word));
    expect(words.length).toBeLessThanOrEqual(650);
    expect(readme.match(/<picture>/g)).toHaveLength(5);
    expect(readme.match(/!\[/g)).toHaveLength(1);
    expect(statSync(path.join(ROOT, "docs/images/replay.webp")).size).toBeLessThanOrEqual(4_000_000);
  });
});
