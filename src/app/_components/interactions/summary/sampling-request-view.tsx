import { useMemo, useState } from "react";
import { ContentBlockView } from "@/app/_components/content/content-block";
import { ContentText } from "@/app/_components/content/content-text";
import { type AnswerBlock, readBlock } from "@/app/_components/content/result-content";
import { Button } from "@/app/_ui/button";
import { FactList } from "@/app/_ui/fact-list";
import { isPlainObject, readMember } from "@/lib/contract/json";

const MAX_CHARS = 500;

/** Messages put on the page at once; the newest matter most. */
const MAX_MESSAGES = 20;

/** Shows a server's request for a model response. Its text is untrusted. */
export function SamplingRequestView({ paramsText }: { paramsText: string }) {
  const request = useMemo(() => readSampling(paramsText), [paramsText]);
  return request === null ? <ContentText text={paramsText} label="Request" /> : <RequestParts request={request} />;
}

function RequestParts({ request: { systemPrompt, messages, facts } }: { request: SamplingRequest }) {
  const [all, setAll] = useState(false);
  const shown = all ? messages : messages.slice(-MAX_MESSAGES);
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {facts.length > 0 && <FactList facts={facts} className="gap-x-3! gap-y-0.5! text-xs" />}
      {systemPrompt !== null && (
        <section aria-label="System prompt">
          <p className="mb-1 font-medium text-xs">System prompt</p>
          <ContentText text={systemPrompt} label="System prompt" />
        </section>
      )}
      {shown.length < messages.length && (
        <Button onClick={() => setAll(true)} className="self-start">
          Show {messages.length - shown.length} earlier messages
        </Button>
      )}
      <ol aria-label="Messages" className="flex min-w-0 flex-col gap-2">
        {shown.map((message) => (
          <li key={message.key} className="min-w-0">
            <p className="mb-1 font-medium text-xs">{message.role.slice(0, 50)}</p>
            <div className="flex flex-col gap-2">
              {message.blocks.map((block) => (
                <ContentBlockView
                  key={block.key}
                  block={block}
                  name={`Message ${Number(message.key) + 1}, block ${Number(block.key) + 1}`}
                />
              ))}
            </div>
          </li>
        ))}
      </ol>
    </div>
  );
}

interface SamplingMessage {
  key: string;
  role: string;
  blocks: AnswerBlock[];
}

/** A server's request for a model response. */
interface SamplingRequest {
  systemPrompt: string | null;
  messages: SamplingMessage[];
  /** Other parameters to show, as name and value. */
  facts: [string, string][];
}

/** Null where the text is not a request: it is then shown unchanged. */
function readSampling(paramsText: string): SamplingRequest | null {
  const params = parsed(paramsText);
  if (!isPlainObject(params)) return null;
  const messages = readMember(params, "messages");
  const systemPrompt = readMember(params, "systemPrompt");
  return {
    systemPrompt: typeof systemPrompt === "string" && systemPrompt !== "" ? systemPrompt : null,
    messages: Array.isArray(messages) ? messages.map(readMessage) : [],
    facts: [
      ["Max tokens", readMember(params, "maxTokens")],
      ["Temperature", readMember(params, "temperature")],
      ["Stop sequences", readMember(params, "stopSequences")],
      ["Model hints", modelHints(readMember(params, "modelPreferences"))],
      ["Context", readMember(params, "includeContext")],
    ].flatMap(([name, value]): [string, string][] =>
      value === undefined || value === null ? [] : [[String(name), shown(value)]],
    ),
  };
}

function readMessage(message: unknown, index: number): SamplingMessage {
  const role = readMember(message, "role");
  const content = readMember(message, "content");
  const blocks = Array.isArray(content) ? content : content === undefined ? [] : [content];
  return {
    key: String(index),
    role: typeof role === "string" ? role : "unknown",
    blocks: blocks.map((block, at) =>
      readBlock(typeof block === "string" ? { type: "text", text: block } : block, String(at)),
    ),
  };
}

function modelHints(preferences: unknown): unknown {
  const hints = readMember(preferences, "hints");
  if (!Array.isArray(hints)) return null;
  const names = hints.map((hint) => readMember(hint, "name")).filter((name) => typeof name === "string");
  return names.length === 0 ? null : names.join(", ");
}

function shown(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
