import { afterAll } from "vitest";
import { createConfigTextParser } from "../../../platform/workers/config-text-parser";
import { parseImport } from "./parse-import";

/** With the process that parses texts, until the test file ends. */
export function openImport() {
  const configTexts = createConfigTextParser({ home: process.cwd() });
  afterAll(() => configTexts.close());
  return (text: string) => parseImport(text, configTexts.parse);
}
