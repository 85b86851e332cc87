import type { ValueList } from "../../../lib/contract/server-kind";

interface ValueListRules {
  /** A word for one value, in a sentence. */
  word: string;
  /** Two names are the same if this returns equal texts. */
  fold(name: string): string;
  /** @returns what is wrong, for a problem of the field */
  findNameProblem(name: string): string | null;
  findValueProblem(value: string): string | null;
}

const keep = (name: string): string => name;
const requireOneLine = (value: string): string | null => (/[\r\n\0]/.test(value) ? "must be one line" : null);

/** The rules for named values: those of the settings, and those that each user enters. */
export const VALUE_LISTS: Readonly<Record<ValueList, ValueListRules>> = {
  env: {
    word: "the environment variable",
    fold: keep,
    findNameProblem: (name) => (/[=\0]/.test(name) ? "must not contain '='" : null),
    findValueProblem: (value) => (value.includes("\0") ? "must not contain a null character" : null),
  },
  headers: {
    word: "the header",
    fold: (name) => name.toLowerCase(),
    findNameProblem: (name) => (/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) ? null : `'${name}' is not a header name`),
    findValueProblem(value) {
      const isSendable = /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
      return requireOneLine(value) ?? (isSendable ? null : "must contain only characters that a header can carry");
    },
  },
  query: { word: "the query parameter", fold: keep, findNameProblem: () => null, findValueProblem: requireOneLine },
};
