import { type TranscriptSegmentInput, transcriptSegmentInputSchema } from "../../lib/contract/transcript";

export type ReadMessage = { segments: TranscriptSegmentInput[] } | { refusal: string };

const MAX_SEGMENTS = 1000;

/**
 * Parses a WebSocket message: `{ text, speaker?, atMs? }`, an array of those, or plain text. Text in brackets that is not
 * JSON is plain text, such as `[laughter]`.
 */
export function readTranscriptMessage(data: string): ReadMessage {
  const start = data.trimStart()[0];
  if (start !== "{" && start !== "[") return segmentsOf([{ text: data }]);
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    if (start === "[") return segmentsOf([{ text: data }]);
    return { refusal: 'The message looks like JSON but is not: send {"text":"…"}, an array of those, or plain text' };
  }
  return segmentsOf(Array.isArray(value) ? value : [value]);
}

function segmentsOf(values: readonly unknown[]): ReadMessage {
  if (values.length > MAX_SEGMENTS) return { refusal: `At most ${MAX_SEGMENTS} segments in one message` };
  const segments: TranscriptSegmentInput[] = [];
  for (const [index, value] of values.entries()) {
    const { data, error } = transcriptSegmentInputSchema.safeParse(value);
    if (error !== undefined) {
      const where = values.length === 1 ? "" : `segment ${index + 1}: `;
      const problems = error.issues.map((issue) => `${where}${issue.path.join(".") || "message"}: ${issue.message}`);
      return { refusal: problems.slice(0, 5).join("; ") };
    }
    segments.push(data);
  }
  return { segments };
}
