import { type TranscriptSegmentInput, transcriptSegmentInputSchema } from "../../../lib/contract/transcript";
import { normalizePhrase } from "../../engine/agent/normalize-text";

/** `Ana: …`, `Dr. Bo O'Neil: …`. Longer ones are sentences with a colon in them. */
const SPEAKER = /^\s*(\p{L}[\p{L}\p{N}\p{M} .'’_-]{0,39}):\s+(\S.*)$/su;

/**
 * One line of a watched file: a JSON object with `text`, `speaker` and `atMs`, `Speaker: text`, or just text. Null for
 * an empty line. A wake phrase before a colon is no speaker.
 */
export function readTranscriptLine(line: string, wakePhrases: readonly string[]): TranscriptSegmentInput | null {
  if (line.trim() === "") return null;
  if (line.trimStart().startsWith("{")) {
    const segment = readJson(line);
    if (segment !== null) return segment.text.trim() === "" ? null : segment;
  }
  const [, speaker, text] = SPEAKER.exec(line) ?? [];
  if (speaker === undefined || text === undefined) return { text: line };
  const folded = normalizePhrase(speaker);
  if (wakePhrases.some((phrase) => folded.includes(normalizePhrase(phrase)))) return { text: line };
  return { speaker: speaker.trim(), text };
}

function readJson(line: string): TranscriptSegmentInput | null {
  try {
    const { data } = transcriptSegmentInputSchema.safeParse(JSON.parse(line));
    return data ?? null;
  } catch {
    return null;
  }
}
