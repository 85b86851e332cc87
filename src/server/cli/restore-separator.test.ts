import { Option } from "commander";
import { expect, it } from "vitest";
import { restoreSeparator } from "./restore-separator";

const OPTIONS = [new Option("--url <address>"), new Option("--env <entry>"), new Option("--json")];
const restore = (line: string): string => restoreSeparator(line.split(" "), OPTIONS).join(" ");

it.each([
  ["files npx -y pkg", "files -- npx -y pkg"],
  ["files --env A=1 npx -y pkg --json", "files --env A=1 -- npx -y pkg --json"],
  ["--json files npx --env X -y", "--json files -- npx --env X -y"],
  ["files docker run --env=A -i image", "files -- docker run --env=A -i image"],
])("a command without -- that has an option of its own is taken whole: %s", (line, expected) => {
  expect(restore(line)).toBe(expected);
});

it.each([
  "files -- npx -y pkg",
  "files npx --env -y",
  "files node server.js --env A=1",
  "tracker --url https://tracker.example/mcp --unknown",
  "files npx --help",
  "-x files npx",
])("a line that was right, or has an error of its own, stays as it is: %s", (line) => {
  expect(restore(line)).toBe(line);
});
