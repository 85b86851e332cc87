import { type PairedMessage, pairMessages } from "@/app/_components/servers/detail/log/pair-messages";
import { type JsonValue, readMember } from "@/lib/contract/json";
import type { ProtocolMessage } from "@/lib/contract/server";
import { equalJson } from "@/lib/json/equal-json";

/** The clocks of the record and of the connection are read one after the other. */
const SLACK_MS = 1_000;

interface WantedCall {
  /** The request as the server received it, as JSON text; it has another id. */
  requestText: string;
  startedAt: number;
  /** Null while the call runs. */
  finishedAt: number | null;
}

/**
 * The protocol messages of one call, oldest first: its requests (more than one where the server asked for input), their
 * responses, and the notifications that name them. Equal calls at the same time cannot be told apart.
 */
export function findCallMessages(messages: readonly ProtocolMessage[], call: WantedCall): PairedMessage[] {
  const wanted = readMessage(call.requestText);
  const until = (call.finishedAt ?? Number.POSITIVE_INFINITY) + SLACK_MS;
  const during = pairMessages(messages).filter(
    ({ message }) => message.at >= call.startedAt - SLACK_MS && message.at <= until,
  );
  const requests = during.filter(({ message }) => message.kind === "request" && isSameCall(message, wanted));
  const ids = new Set(requests.map(({ message }) => message.id));
  const tokens = requests.map(({ message }) =>
    readMember(readMember(readMessage(message.text).params, "_meta"), "progressToken"),
  );
  return during.filter((paired) => {
    const { message } = paired;
    if (message.kind === "request") return requests.includes(paired);
    if (message.kind !== "notification") return message.direction === "received" && ids.has(message.id);
    const { params } = readMessage(message.text);
    const token = readMember(params, "progressToken");
    const requestId = readMember(params, "requestId");
    return (token !== undefined && tokens.includes(token)) || (requestId !== undefined && ids.has(String(requestId)));
  });
}

interface Read {
  method: unknown;
  params: unknown;
}

/** A long message is kept in part, and so is not valid JSON. */
function readMessage(text: string): Read {
  try {
    const message: unknown = JSON.parse(text);
    return { method: readMember(message, "method"), params: readMember(message, "params") };
  } catch {
    return { method: undefined, params: undefined };
  }
}

const NAMES = ["name", "uri"] as const;

/** Compares names, and arguments where they are kept whole. */
function isSameCall(message: ProtocolMessage, wanted: Read): boolean {
  if (message.direction !== "sent" || message.method !== wanted.method) return false;
  const { params } = readMessage(message.text);
  if (params === undefined) return true;
  if (NAMES.some((name) => readMember(params, name) !== readMember(wanted.params, name))) return false;
  const sent = (readMember(params, "arguments") ?? {}) as JsonValue;
  return equalJson(sent, (readMember(wanted.params, "arguments") ?? {}) as JsonValue);
}
