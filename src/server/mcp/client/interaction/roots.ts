import { isPlainObject } from "../../../../lib/contract/json";
import { abortable } from "../wait";
import { askDuringCall, findCaller, type RequestOrigin } from "./ask-during-call";

type Root = { uri: string; name?: string };

const MAX_ROOTS = 100;
const MAX_TEXT_CHARS = 4096;

/** The folders that a server may work with: those of the caller whose call it runs, or those of the server's settings. */
export async function listRoots(origin: RequestOrigin): Promise<Root[]> {
  const { session, key } = origin;
  const configured = session.settings.roots.map(({ uri, name }) => toRoot(uri, name));
  const { interact } = findCaller(origin);
  if (interact === undefined) return configured;
  return askDuringCall(origin, async (signal) => {
    try {
      const answer = await abortable(interact({ kind: "roots" }, signal, key), signal);
      return answer?.action === "accept" ? readRoots(answer.content?.roots) : configured;
    } catch (error) {
      if (!signal.aborted)
        session.log.add("toolroom", "warn", `The caller's roots could not be read: ${String(error)}`);
      return configured;
    }
  });
}

/** Callers may break the schema, and servers may not check what they get. */
function readRoots(value: unknown): Root[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MAX_ROOTS).flatMap((root: unknown) => {
    if (!isPlainObject(root) || typeof root.uri !== "string") return [];
    if (!root.uri.startsWith("file://") || root.uri.length > MAX_TEXT_CHARS) return [];
    return [toRoot(root.uri, typeof root.name === "string" ? root.name.slice(0, MAX_TEXT_CHARS) : undefined)];
  });
}

function toRoot(uri: string, name: string | undefined): Root {
  return name === undefined ? { uri } : { uri, name };
}
