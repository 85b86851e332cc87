import type { Problem, TranscriptSegmentInput, TranscriptSettings } from "../../../lib/contract";
import { problemsOfIssues } from "../../../lib/contract/problem";
import { transcriptSegmentInputSchema } from "../../../lib/contract/transcript";
import { messageOf } from "../../../lib/message-of";
import { normalizePhrase } from "../../engine/agent/normalize-text";
import { invalidInput } from "../../shared/app-error";
import { TRANSCRIPT_LIMITS, type TranscriptServicePorts } from "./transcript-ports";

/** @throws AppError that names each invalid field */
export async function checkSettings(
  { wakePhrases, webhookUrl, source, provider }: TranscriptSettings,
  { fileTail, checkProvider }: Pick<TranscriptServicePorts, "fileTail" | "checkProvider">,
): Promise<void> {
  const problems: Problem[] = [];
  const short = wakePhrases.find((phrase) => normalizePhrase(phrase).length < 2);
  if (short !== undefined) {
    problems.push({ path: "wakePhrases", message: `"${short}" needs at least two letters or digits` });
  }
  if (webhookUrl != null) {
    const { username, password } = new URL(webhookUrl);
    if (username !== "" || password !== "") {
      problems.push({ path: "webhookUrl", message: "must not contain a user name or password" });
    }
  }
  if (source.kind === "file") await fileTail.check(source.path).catch(noted("source.path", problems));
  await checkProvider(provider).catch(noted("provider", problems));
  if (problems.length > 0) throw invalidInput("", problems, ": ");
}

function noted(path: string, problems: Problem[]): (error: unknown) => void {
  return (error) => {
    const message = messageOf(error);
    problems.push({ path, message: message.startsWith(`${path}: `) ? message.slice(path.length + 2) : message });
  };
}

/** For callers without a schema of their own, such as the WebSocket. @throws AppError for too many or invalid segments */
export function checkSegments(segments: readonly TranscriptSegmentInput[]): void {
  const { segmentsAtOnce } = TRANSCRIPT_LIMITS;
  if (segments.length > segmentsAtOnce) {
    const message = `at most ${segmentsAtOnce} at once, these are ${segments.length}`;
    throw invalidInput("", [{ path: "segments", message }], ": ");
  }
  for (const [index, segment] of segments.entries()) {
    const { error } = transcriptSegmentInputSchema.safeParse(segment);
    if (error === undefined) continue;
    const issues = error.issues.map(({ path, message }) => ({ path: ["segments", index, ...path], message }));
    throw invalidInput("", problemsOfIssues(issues), ": ");
  }
}
