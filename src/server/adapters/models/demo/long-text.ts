import { wordsOf } from "./words";

const COUNT = /\bcount (?:up )?(?:from (\d{1,6}) )?to (\d{1,6})\b/i;
const LONG = /\b(?:write|tell|give|say|compose)\b.*\b(?:story|essay|poem|novel|article|long text|long answer)\b/i;
const MAX_COUNT = 1000;
const PARAGRAPHS = 12;

const SENTENCES = [
  "A workshop stood at the end of the quay, and every tool in it had its hook.",
  "In the logbook beside the door each loan was written down with the hour and the hand that took it.",
  "One morning a gauge gave a number that nobody believed, so it was read again, and the number stayed.",
  "The keeper said that a tool which fails loudly is worth two that fail in silence.",
  "Before the saw was handed out somebody was asked, because what is cut cannot be uncut.",
  "By noon the bench was full, and three jobs went on side by side without waiting for each other.",
  "When the lamp went out the work stopped, and when it came back the log said where to begin.",
  "Nobody remembered the afternoon, but the book did, line after line, in order.",
];

/** Something slow to read out, so that stopping can be tried; null where the request wants nothing of the kind. */
export function longText(request: string): string | null {
  const count = COUNT.exec(request);
  if (count !== null) return counted(Number(count[1] ?? 1), Number(count[2]));
  if (!LONG.test(request)) return null;
  // Which sentence begins depends on the request, so that two requests differ and the same one does not.
  const start = wordsOf(request).join("").length;
  const paragraphs = Array.from({ length: PARAGRAPHS }, (_, paragraph) =>
    Array.from({ length: 5 }, (_, at) => SENTENCES[(start + paragraph * 3 + at) % SENTENCES.length]).join(" "),
  );
  const intro = "I cannot invent anything: I am a demo model made of rules. Here are ready sentences, many of them.";
  return [intro, ...paragraphs, "That was all of it."].join("\n\n");
}

function counted(from: number, to: number): string {
  const last = Math.min(to, from + MAX_COUNT - 1);
  if (last < from) return `There is nothing to count from ${from} to ${to}.`;
  const numbers = Array.from({ length: last - from + 1 }, (_, at) => from + at).join(", ");
  return last < to ? `${numbers} … and I stop here: I count ${MAX_COUNT} numbers at most.` : `${numbers}.`;
}
