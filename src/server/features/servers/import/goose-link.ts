import { type NamedEntry, namedEntry } from "./named-entry";
import type { Entry } from "./normalize-entry";

/** The parameters of Goose's `deeplink.ts`; `id` and `description` are for its own pages. */
const PARAMETERS = ["cmd", "arg", "env", "header", "url", "type", "transport", "timeout", "id", "name", "description"];

/** A link of Goose: its parameters are the parts of an entry. */
export function readGooseLink(given: URLSearchParams): { server: NamedEntry; inputs: unknown } | { problem: string } {
  const command = given.get("cmd");
  const url = given.get("url");
  if (command === "goosed") return { problem: "The install link is about a part of Goose, not a server" };
  if (command === null && url === null) {
    return { problem: "The install link of Goose has neither cmd nor url: copy the whole link" };
  }
  const notes = ["Read from an install link"];
  const unread = [...new Set(given.keys())].filter((key) => !PARAMETERS.includes(key));
  if (unread.length > 0) notes.push(`ignored: ${unread.map((key) => key.slice(0, 100)).join(", ")}`);
  // A link has no values of variables, but what each of them is.
  const variables = given.getAll("env").map((text) => splitOnce(text));
  for (const [name, description] of variables) {
    const what = description === "" ? "" : ` (${description.slice(0, 200)})`;
    notes.push(
      `env.${name.slice(0, 100)}: needs a value${what}; set that variable for Toolroom, or type it in the form`,
    );
  }
  const env = Object.fromEntries(variables.map(([name]) => [name, `\${${name}}`]));
  const shared: Entry = variables.length === 0 ? {} : { env };
  // The link counts seconds.
  const timeout = Number(given.get("timeout") ?? Number.NaN);
  if (Number.isFinite(timeout)) shared.tool_timeout_sec = timeout;
  const headers = Object.fromEntries(given.getAll("header").map((text) => splitOnce(text)));
  const type = given.get("type") ?? given.get("transport") ?? "streamable_http";
  const entry: Entry =
    url === null ? { ...shared, type: "stdio", command, args: given.getAll("arg") } : { ...shared, type, url, headers };
  return { server: namedEntry(given.get("name") ?? given.get("id"), entry, notes), inputs: undefined };
}

function splitOnce(text: string): [name: string, value: string] {
  const at = text.indexOf("=");
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}
