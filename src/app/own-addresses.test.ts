import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

/** What leads to the root of the host, where another program may be, and what to write for it. */
const FAULTS: readonly [pattern: RegExp, instead: string][] = [
  [/\bfetch\((?:["'`]\/|[A-Z_]+,)/, "fetch(toAddress(…))"],
  [/location\.(?:assign|replace)\(["'`]\//, "toAddress(…)"],
  [/location\.href\s*=/, "location.assign(toAddress(…))"],
  [/window\.open\(["'`]\//, "toAddress(…)"],
  [/window\.location\.origin/, "getConsoleAddress()"],
  [/<(?:a|img|form|iframe|script|link)\s[^>]*(?:href|src|action)=(?:\{["'`]|["'])\//, "Link, or toAddress(…)"],
  [/(?:local|session)Storage\.\w+Item\((?!toStorageName)/, "toStorageName(…)"],
  [/new EventSource\(["'`]\//, "toAddress(…)"],
];

/** The origin alone is meant: the server adds the path itself, or messages of frames are compared. */
const EXCEPTIONS = [/origin: window\.location\.origin/, /data\?\.html|app-frame-ready/];

function listSources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file) && !/\.test(?:-support)?\.tsx?$/.test(file))
    .map((file) => path.join(folder, file));
}

it("every address and stored value of the console's own begins with the path that Toolroom is served under", () => {
  const found = listSources(import.meta.dirname).flatMap((file) =>
    readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => !EXCEPTIONS.some((exception) => exception.test(line)))
      .flatMap((line) =>
        FAULTS.filter(([pattern]) => pattern.test(line)).map(([, instead]) => `${file}: ${line.trim()} → ${instead}`),
      ),
  );
  expect(found).toEqual([]);
});

it("finds each of them where it is written", () => {
  const samples = [
    'fetch("/api/x")',
    "fetch(LIVE_URL, {",
    'window.location.assign("/sign-in")',
    'window.location.href = "/x"',
    "window.open(`/x`)",
    "window.location.origin + path",
    '<a href="/x">',
    "<img src={`/x`} />",
    "sessionStorage.getItem(KEY)",
    'new EventSource("/api/live")',
  ];
  for (const sample of samples)
    expect([sample, FAULTS.some(([pattern]) => pattern.test(sample))]).toEqual([sample, true]);
});
