import { isPlainObject } from "../../../../lib/contract/json";
import { expandVariables } from "../../../../lib/server-settings/expand-variables";
import type { Entry } from "./normalize-entry";

/** Variables of editors that look like ones of the environment. */
const EDITOR_FOLDERS = ["workspaceFolder", "workspaceFolderBasename", "userHome", "pathSeparator"];

/** A problem for each `${…}` that only another client can fill in, such as `${input:token}` or `${workspaceFolder}`. */
export function foreignReferences(candidate: Entry): string[] {
  return listTexts(candidate).flatMap(([field, text]) => {
    // With no variables at hand everything is missing; what no environment can hold has another form than a name.
    const forms = expandVariables(text, {}).missing.filter((inside) => !/^[A-Za-z_][A-Za-z0-9_()]*$/.test(inside));
    const folders = EDITOR_FOLDERS.filter((name) => text.includes(`\${${name}}`));
    return [...forms, ...folders].map((inside) => describeReference(field, inside));
  });
}

function listTexts(candidate: Entry): [field: string, text: string][] {
  return Object.entries(candidate).flatMap(([field, value]) => {
    if (field === "name") return [];
    const items: unknown[] = Array.isArray(value) ? value : [value];
    return items.flatMap((item, index): [string, string][] => {
      if (typeof item === "string") return [[Array.isArray(value) ? `${field}[${index}]` : field, item]];
      return isPlainObject(item) && typeof item.value === "string"
        ? [[`${field}.${String(item.name)}`, item.value]]
        : [];
    });
  });
}

function describeReference(field: string, inside: string): string {
  const id = /^(?:input|promptString):(.+)$/.exec(inside)?.[1];
  if (id === undefined) return `${field}: \${${inside}} is known to another program only: type the value instead`;
  const variable = id.replace(/[^A-Za-z0-9]+/g, "_").toUpperCase();
  return `${field}: \${${inside}} cannot be asked for here: set it as an environment variable and write \${${variable}}, or type the value`;
}
