const REQUEST = /\bwrite a long (?:story|text)\b/i;
const PARAGRAPHS = 16;
const PARAGRAPH = [
  "A run records each message, call and result in an append-only log.",
  "Stopping a run cancels its calls and stores the text received so far.",
  "A stopped run can be continued with another message or rerun from any step.",
  "After a restart of the server, an interrupted run resumes from its log.",
].join(" ");

/** A text that takes a quarter of a minute to stream, so that stopping can be tried; null when none was requested. */
export function longText(request: string): string | null {
  if (!REQUEST.test(request)) return null;
  const paragraphs = Array.from({ length: PARAGRAPHS }, (_, at) => `${at + 1}. ${PARAGRAPH}`);
  const intro = "The demo model cannot write a story. This sample text is long enough to try stopping a run.";
  return [intro, ...paragraphs, "End of the sample text."].join("\n\n");
}
