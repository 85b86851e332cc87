import { isPlainObject } from "../../../../lib/contract/json";
import { type NamedEntry, namedEntry } from "./named-entry";
import type { Entry } from "./normalize-entry";

/** Stands for the folder in which a bundle was unpacked. */
const FOLDER = "MCPB_DIR";

/** The `manifest.json` of an MCP bundle (`.mcpb`, formerly `.dxt`). */
export function isBundleManifest(value: Entry): boolean {
  return isPlainObject(value.server) && (isPlainObject(value.server.mcp_config) || isUvServer(value.server));
}

/** Version 0.4: the host starts a Python project with uv, and a command is optional (github.com/modelcontextprotocol/mcpb, pull request 158). */
const isUvServer = ({ type, entry_point }: Entry): boolean => type === "uv" && typeof entry_point === "string";

export function bundleEntry({ name, display_name, server, user_config }: Entry): NamedEntry {
  const given = server as Entry;
  const { command, args, env, ...rest } = isPlainObject(given.mcp_config) ? given.mcp_config : startWithUv(given);
  const options = isPlainObject(user_config) ? user_config : {};
  const notes: string[] = [];
  const rewrite = (text: string): string => rewriteText(text, options, notes);
  const entry = {
    ...rest,
    ...(typeof display_name === "string" && { title: display_name.slice(0, 200) }),
    command: typeof command === "string" ? rewrite(command) : command,
    args: Array.isArray(args) ? args.map((arg: unknown) => (typeof arg === "string" ? rewrite(arg) : arg)) : args,
    ...(isPlainObject(env) && { env: mapTexts(env, rewrite) }),
  };
  return namedEntry(typeof name === "string" && name !== "" ? name : null, entry, [...new Set(notes)]);
}

function startWithUv({ entry_point }: Entry): Entry {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of bundles
  return { command: "uv", args: ["run", "--directory", "${__dirname}", entry_point] };
}

function mapTexts(entry: Entry, change: (text: string) => string): Entry {
  return Object.fromEntries(
    Object.entries(entry).map(([key, value]) => [key, typeof value === "string" ? change(value) : value]),
  );
}

function rewriteText(text: string, options: Entry, notes: string[]): string {
  return text
    .replaceAll(/\$\{(?:\/|pathSeparator)\}/g, "/")
    .replaceAll(/\$\{__dirname\}/g, () => {
      notes.push(
        `Needs the folder in which the bundle is unpacked; set \${${FOLDER}} for Toolroom, or type it in the form`,
      );
      return `\${${FOLDER}}`;
    })
    .replaceAll(/\$\{user_config\.([\w.-]{1,200})\}/g, (_, key: string) => {
      const option = Object.hasOwn(options, key) ? options[key] : undefined;
      const variable = key.replace(/\W+/g, "_").toUpperCase();
      const { default: fallback, title } = isPlainObject(option) ? option : {};
      const known = ["string", "number", "boolean"].includes(typeof fallback) ? String(fallback) : null;
      if (known !== null && !known.includes("}")) return `\${${variable}:-${known}}`;
      const label = typeof title === "string" ? ` (${title.slice(0, 200)})` : "";
      notes.push(`${key}: needs a value${label}; set \${${variable}} for Toolroom, or type the value in the form`);
      return `\${${variable}}`;
    });
}
