import { CORE_SCHEMA, load } from "js-yaml";
import { isPlainObject } from "../../../lib/contract/json";
import { getMessage } from "../../../lib/get-message";

/** What clients read of every skill in a list. */
const MAX_CHARS = 32_768;
const MAX_LEVELS = 20;
const BLOCK = /^\u{feff}?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/u;

/** Reads the YAML block that a `SKILL.md` begins with, as JSON, or says why it cannot be read. */
export function readFrontMatter(text: string): { frontmatter: Record<string, unknown> } | { problem: string } {
  const block = BLOCK.exec(text.slice(0, MAX_CHARS))?.[1];
  if (block === undefined) {
    const problem = "must begin with front matter: a line ---, name and description as YAML, and a line ---";
    return { problem: text.length > MAX_CHARS ? `${problem}, ${MAX_CHARS} characters at most` : problem };
  }
  let value: unknown;
  try {
    // An alias is the one way in which a few characters become a large value.
    value = load(block, { schema: CORE_SCHEMA, maxAliases: 0, maxDepth: MAX_LEVELS });
  } catch (error) {
    const [reason = ""] = getMessage(error).split("\n");
    return { problem: `the front matter is not YAML: ${reason.slice(0, 300)}` };
  }
  if (!isPlainObject(value)) return { problem: "the front matter must have fields, such as name and description" };
  // Values that JSON does not have, such as .inf, become null as in every answer.
  return { frontmatter: JSON.parse(JSON.stringify(value)) as Record<string, unknown> };
}
