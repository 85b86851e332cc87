import type { Option } from "@/app/_kit/multi-select-button";
import type { FilterLook } from "./filters";
import type { List } from "./use-list";

/** The choices of a field that only the server knows; with labels where they are ids. */
export type Choices = readonly string[] | ReadonlyMap<string, string>;

/** A filter as the bar shows it: something that can be added, and a chip once it is. */
export interface FilterField {
  name: string;
  label: string;
  options: readonly Option[];
  /** The filter is on or off: it offers no choices. */
  isToggle: boolean;
  value: readonly string[];
  single: boolean;
  change: (value: readonly string[]) => void;
}

/** By filter: returns how many rows a choice would match; undefined where that is not known. */
export type ChoiceCounts = Readonly<Record<string, (value: string) => string | undefined>>;

/**
 * Returns the filters that can be added to a list; without those that have nothing to choose from.
 * @param choices null for those that are read when they are looked at
 */
export function listFilterFields(
  list: List,
  choices: Record<string, Choices | null | undefined>,
  counts: ChoiceCounts = {},
): FilterField[] {
  return Object.entries(list.filters).flatMap(
    ([name, { control, label, isOrder, values, words, mono = false }]): FilterField[] => {
      if (label === undefined || isOrder || !["many", "one", "toggle"].includes(control)) return [];
      const given = list.params[name];
      const change = (next: unknown): void => list.change({ [name]: next });
      if (control === "toggle") {
        const value = given === true ? ["on"] : [];
        return [
          { name, label, options: [], isToggle: true, value, single: true, change: (next) => change(next.length > 0) },
        ];
      }
      // A name is absent as the empty text, a choice as null.
      const absent = values === undefined ? "" : null;
      const value = control === "many" ? (given as string[]) : given === absent ? [] : [String(given)];
      const texts = listChoices(choices[name] ?? values, value, words);
      if (texts.size === 0 && choices[name] !== null) return [];
      const options = [...texts].map(([each, text]) => {
        return { value: each, label: text, mono, count: counts[name]?.(each) };
      });
      const single = control === "one";
      return [
        {
          name,
          label,
          options,
          isToggle: false,
          value,
          single,
          change: (next) => change(single ? (next[0] ?? absent) : next),
        },
      ];
    },
  );
}

/** Values with their texts. A link may name what nothing has: it can be seen and removed. */
function listChoices(
  known: Choices = [],
  chosen: readonly string[],
  words: FilterLook["words"],
): ReadonlyMap<string, string> {
  const labels = known instanceof Map ? (known as ReadonlyMap<string, string>) : null;
  const values = [...(labels?.keys() ?? (known as readonly string[])), ...chosen];
  return new Map(values.map((value) => [value, labels?.get(value) ?? words?.[value] ?? value]));
}
