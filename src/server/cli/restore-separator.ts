import type { Option } from "commander";

/**
 * Puts `--` before the command of `add <name> [command...]` where it is missing and an option stands behind it that is not
 * ours: npm's commands for PowerShell take `--` away.
 */
export function restoreSeparator(words: readonly string[], options: readonly Option[]): string[] {
  if (words.includes("--")) return [...words];
  let start = 0;
  let operands = 0;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? "";
    if (!word.startsWith("-") || word === "-") {
      operands += 1;
      if (operands === 2) start = index;
      continue;
    }
    const [flag, value] = word.split("=", 2);
    const known = options.find((option) => option.long === flag || option.short === flag);
    if (known?.required && value === undefined) index += 1;
    const isOurs = known !== undefined || word === "--help" || word === "-h";
    if (!isOurs) return operands < 2 ? [...words] : [...words.slice(0, start), "--", ...words.slice(start)];
  }
  return [...words];
}
