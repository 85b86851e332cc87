import { isPlainObject } from "../../../../lib/contract/json";
import { programName } from "./server-names";

const SHELLS = /^(?:ba|z|da|fi)?sh$|^cmd$|^pwsh$|^powershell$/;
const SUBSTITUTION = /\$\([^)]|`[^`]+`/;
/** Matches a variable as a separate word: `pa$$word` and `US$A` are text. */
const VARIABLE = /(?:^|[\s=:/,;"'@])\$[A-Za-z_]\w*/;
const WINDOWS_VARIABLE = /%[A-Za-z_][\w()]*%/;
const FIELDS = ["command", "args", "env", "headers", "url", "cwd"];

/** Whether a shell reads the arguments, which fills in its own variables. */
export function isShellEntry(entry: unknown): boolean {
  return isPlainObject(entry) && typeof entry.command === "string" && SHELLS.test(programName(entry.command));
}

/** What a shell would fill in and stays as text, by its field: values may be secret, so that none is repeated. */
export function noteLiterals(entry: unknown): string[] {
  if (!isPlainObject(entry)) return [];
  const inShell = isShellEntry(entry);
  return FIELDS.flatMap((field) => listTexts(entry[field], field)).flatMap(([path, text]) => {
    if (inShell && path.startsWith("args[")) return [];
    if (SUBSTITUTION.test(text)) {
      return [`${path}: $(…) stays as text, since no shell runs it; type the value, or a reference such as \${NAME}`];
    }
    if (!VARIABLE.test(text) && !WINDOWS_VARIABLE.test(text)) return [];
    return [`${path}: $name and %NAME% stay as text; if it is a variable, write \${NAME}`];
  });
}

function listTexts(value: unknown, path: string): [path: string, text: string][] {
  if (typeof value === "string") return [[path, value]];
  if (Array.isArray(value)) return value.flatMap((item, at) => listTexts(item, `${path}[${at}]`));
  if (!isPlainObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => listTexts(item, `${path}.${key}`));
}
