const REQUEST = /\bwrite a long (?:story|text)\b/i;
const PARAGRAPHS = 16;
const PARAGRAPH = [
  "A workshop stood at the end of the quay, and every tool in it had its hook.",
  "In the logbook beside the door each loan was written down with the hour and the hand that took it.",
  "The keeper said that a tool which fails loudly is worth two that fail in silence.",
  "When the lamp went out the work stopped, and when it came back the log said where to begin.",
].join(" ");

/** A text that takes a quarter of a minute to stream, so that stopping can be tried; null where none was asked for. */
export function longText(request: string): string | null {
  if (!REQUEST.test(request)) return null;
  const paragraphs = Array.from({ length: PARAGRAPHS }, (_, at) => `${at + 1}. ${PARAGRAPH}`);
  const intro = "I cannot invent anything: I am a demo model made of rules. Here are ready sentences, many of them.";
  return [intro, ...paragraphs, "That was all of it."].join("\n\n");
}
