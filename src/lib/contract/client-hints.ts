import { z } from "zod";

const MAX_HINTS = 20;
const MAX_HINT_CHARS = 4_096;
/** Names of `_meta` in the specification: an optional prefix of labels that ends with a slash, then a name. */
const KEY =
  /^(?:[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*\/)?[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;

/** The specification reserves prefixes whose second label is `mcp` or `modelcontextprotocol`. */
function findKeyProblem(key: string): string | null {
  if (key.length > 200 || !KEY.test(key)) {
    return "is no key of `_meta`: use a name with the prefix of its client, such as anthropic/alwaysLoad";
  }
  const [prefix = ""] = key.split("/", key.includes("/") ? 1 : 0);
  const labels = prefix.split(".");
  const isReserved = labels[1] === "mcp" || labels[1] === "modelcontextprotocol";
  return isReserved || prefix === "toolroom" ? "is reserved: use a key that a client documents" : null;
}

/** Keys of `_meta` that a client reads in the list of tools, such as hints for loading and limits of results. */
export const clientHintsSchema = z.record(z.string(), z.json()).superRefine((hints, context) => {
  const keys = Object.keys(hints);
  for (const key of keys) {
    const message = findKeyProblem(key);
    if (message !== null) context.addIssue({ code: "custom", path: [key.slice(0, 200)], message });
  }
  if (keys.length > MAX_HINTS) context.addIssue({ code: "custom", message: `must have at most ${MAX_HINTS} keys` });
  if (JSON.stringify(hints).length > MAX_HINT_CHARS) {
    context.addIssue({ code: "custom", message: `must have at most ${MAX_HINT_CHARS} characters of JSON` });
  }
});
