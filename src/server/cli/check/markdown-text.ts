import { stripControlCharacters } from "../../../lib/strip-control-characters";

function clean(text: string): string {
  return stripControlCharacters(text).replace(/\s+/g, " ").trim();
}

export function escapeHtml(text: string): string {
  return clean(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("@", "&#64;");
}

/** No markup, link, mention or reference to an issue begins in a server's text. */
export function escapeText(text: string): string {
  const escaped = escapeHtml(text).replace(/[\\`*_{}[\]()#+!|~]/g, (sign) => `\\${sign}`);
  return escaped.replace(/:\/\//g, "&#58;//").replace(/\bwww\./gi, "www&#46;");
}

/** A code span that holds any text, also in a table. */
export function toCode(text: string): string {
  const content = clean(text).replaceAll("|", "\\|");
  const longest = Math.max(0, ...[...content.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const pad = content.startsWith("`") || content.endsWith("`") ? " " : "";
  return `${fence}${pad}${content}${pad}${fence}`;
}
