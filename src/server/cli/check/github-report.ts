import type { Severity } from "../../../lib/contract/change-verdict";
import { toLine } from "../output";
import { type CheckResult, listMessages } from "./describe-report";

const COMMANDS: Record<Severity, string> = { error: "error", warning: "warning", info: "notice" };

/** Workflow commands, which GitHub Actions shows as annotations at the lines of the baseline. */
export function formatAnnotations({ report, file, lines }: CheckResult): string {
  const commands = listMessages(report).map(({ tool, rule, severity, message }) => {
    const place = file === null ? "" : `file=${escapeProperty(file)},line=${lines.get(tool) ?? 1},`;
    return `::${COMMANDS[severity]} ${place}title=${escapeProperty(rule)}::${escapeData(message)}\n`;
  });
  return commands.join("");
}

const escapeData = (text: string): string => toLine(text).replaceAll("%", "%25");

const escapeProperty = (text: string): string => escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
