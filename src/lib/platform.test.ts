import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const SOURCES = path.resolve(import.meta.dirname, "..");

it("only one module reads the system that Toolroom runs on: the bundler would replace it by the system of the build", () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter((file) =>
    /(?<!\.test)\.tsx?$/.test(file),
  );
  const readers = files.filter((file) =>
    /process\.platform|process\.arch|\bos\.(?:platform|arch|type)\(|\{[^}]*\b(?:platform|arch)\b[^}]*\} (?:=|from) (?:process|"node:(?:os|process)")/.test(
      readFileSync(path.join(SOURCES, file), "utf8").replaceAll(/\/\*[\s\S]*?\*\//g, ""),
    ),
  );
  expect(readers).toEqual([]);
});
