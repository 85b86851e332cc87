import type { JsonValue } from "../../../../lib/contract";
import { isFreeText, type Parameter } from "./parameters";

const SHAPES: { word: RegExp; parameter: RegExp; format?: RegExp }[] = [
  { word: /^https?:\/\/\S+$/i, parameter: /(?:^|_)(?:url|uri|link|href|address)$/, format: /^ur[il]/ },
  { word: /^[^\s@]+@[^\s@]+\.[a-z]{2,}$/i, parameter: /e?mail/, format: /^email$/ },
  { word: /^\d{4}-\d\d-\d\d(?:T\S*)?$/, parameter: /(?:^|_)(?:date|day|since|until|from|to)$/, format: /^date/ },
  {
    word: /^(?:~?\.{0,2}\/\S+|[\w.-]+\.[a-z]{1,5})$/i,
    parameter: /(?:^|_)(?:path|file|filename|file_name|directory)$/,
  },
];
const REPOSITORY = /^([\w-]+)\/([\w.-]+)$/;

/** Values that a word's own form gives to parameters still open: addresses, paths, dates, `owner/repo`. */
export function fitByShape(word: string, open: readonly Parameter[]): [string, JsonValue][] | null {
  if (word === "") return null;
  const [, owner, repo] = REPOSITORY.exec(word) ?? [];
  if (owner !== undefined && repo !== undefined) {
    const names = new Set(open.map(({ name }) => name));
    if (names.has("owner") && names.has("repo"))
      return [
        ["owner", owner],
        ["repo", repo],
      ];
  }
  for (const shape of SHAPES) {
    if (!shape.word.test(word)) continue;
    const fits = open.find(
      (parameter) =>
        isFreeText(parameter) && (shape.parameter.test(parameter.normal) || hasFormat(parameter, shape.format)),
    );
    if (fits !== undefined) return [[fits.name, word]];
  }
  return null;
}

function hasFormat({ field }: Parameter, pattern: RegExp | undefined): boolean {
  const { schema } = field;
  if (pattern === undefined || typeof schema === "boolean" || !Object.hasOwn(schema, "format")) return false;
  return typeof schema.format === "string" && pattern.test(schema.format);
}
