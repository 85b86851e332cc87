import { isPlainObject } from "../../../../lib/contract/json";
import { programName } from "./server-names";

/** The inputs that VS Code asks for once, by id. */
export type Inputs = ReadonlyMap<string, { description: string | null; fallback: string | null }>;

export function readInputs(value: unknown): Inputs {
  const list = Array.isArray(value) ? value.filter(isPlainObject) : [];
  return new Map(
    list.flatMap((input) => {
      if (typeof input.id !== "string") return [];
      const description = typeof input.description === "string" ? input.description.slice(0, 200) : null;
      const fallback = typeof input.default === "string" && !input.default.includes("}") ? input.default : null;
      return [[input.id, { description, fallback }] as const];
    }),
  );
}

/** `$NAME` is a variable only where it is a whole word: never inside `pa$$word` or before a lower-case letter. */
const BARE = /(^|[\s=:/,;"'@])\$([A-Z_][A-Z0-9_]+)(?=$|[\s/:;,"'@&])/g;
/** opencode: `{env:NAME}`. Environment variables keep their case. */
const OPENCODE = /(?<!\$)\{env:([A-Za-z_]\w*)\}/g;
/** Continue: `${{ secrets.NAME }}`. */
const CONTINUE = /\$\{\{\s{0,9}(?:secrets|inputs|env)\.([\w./-]{1,200})\s{0,9}\}\}/g;
const INPUT = /\$\{(?:input|promptString):([^}]{1,200})\}/g;
/** A secret of GitHub's coding agent, which is referred to by its bare name. */
const COPILOT_SECRET = /^COPILOT_MCP_\w+$/;
const SHELLS = /^(?:ba|z|da|fi)?sh$|^cmd$|^pwsh$|^powershell$/;

/**
 * Writes the variables of other clients as `${NAME}`, the form that is expanded here, and says so for each field. Other
 * texts stay as they are.
 */
export function rewriteVariables(entry: unknown, inputs: Inputs): { entry: unknown; notes: string[] } {
  const notes: string[] = [];
  // A shell expands its own variables.
  const inShell = isPlainObject(entry) && typeof entry.command === "string" && SHELLS.test(programName(entry.command));
  const rewrite = (value: unknown, path: string): unknown => {
    if (typeof value === "string")
      return rewriteText(value, path, { inputs, notes, bare: !(inShell && isArgument(path)) });
    if (Array.isArray(value)) return value.map((item, index) => rewrite(item, `${path}[${index}]`));
    if (!isPlainObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, rewrite(item, path === "" ? key : `${path}.${key}`)]),
    );
  };
  return { entry: rewrite(entry, ""), notes };
}

interface Rewriting {
  inputs: Inputs;
  notes: string[];
  bare: boolean;
}

const isArgument = (path: string): boolean => path.startsWith("args[");

function rewriteText(text: string, path: string, { inputs, notes, bare }: Rewriting): string {
  let result = text.replace(INPUT, (whole, id: string) => {
    const input = inputs.get(id);
    const variable = variableName(id);
    const description = input?.description == null ? "" : ` (${input.description})`;
    const todo =
      input?.fallback == null ? "; set that variable in Toolroom's environment, or enter the value in the form" : "";
    notes.push(`${path}: ${whole}${description} was imported as ${reference(variable)}${todo}`);
    return input?.fallback == null ? reference(variable) : reference(`${variable}:-${input.fallback}`);
  });
  const noted = (whole: string, variable: string): string => {
    notes.push(`${path}: ${whole} was imported as ${reference(variable)}`);
    return reference(variable);
  };
  result = result
    .replace(OPENCODE, (whole, name: string) => noted(whole, name))
    .replace(CONTINUE, (whole, name: string) => noted(whole, variableName(name)));
  if (COPILOT_SECRET.test(result)) return noted(result, result);
  if (!bare) return result;
  return result.replace(BARE, (_, before: string, name: string) => {
    notes.push(
      `${path}: $${name} was imported as ${reference(name)}, a variable; if it is plain text, correct it in the form`,
    );
    return before + reference(name);
  });
}

const reference = (inside: string): string => `\${${inside}}`;

/** `github-token` → `GITHUB_TOKEN` */
function variableName(id: string): string {
  const name = id.replace(/[^A-Za-z0-9_]+/g, "_").toUpperCase();
  return /^\d/.test(name) ? `_${name}` : name;
}
