"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { WithCode } from "@/app/_components/tools/summary/schema-notes";
import { useTRPC } from "@/app/_trpc/client";
import { CopyButton } from "@/app/_ui/copy-button";
import { JsonText } from "@/app/_ui/json-text";
import { ScrollRegion } from "@/app/_ui/scroll-region";
import { Segmented } from "@/app/_ui/segmented";
// Not the whole contract: its schemas would bring zod into the browser.
import { TOOL_FORMATS, type ToolFormat } from "@/lib/contract/tool-definition";

const LABELS: Record<ToolFormat, string> = {
  openai: "OpenAI",
  "openai-strict": "OpenAI strict",
  anthropic: "Anthropic",
  gemini: "Gemini",
  ollama: "Ollama",
  mcp: "MCP",
};

const PARTS = ["tool", "body"] as const;

/** Shows what each model API and each MCP client is sent for this tool: the tool alone, or the whole message. */
export function FormatsTab({ toolName }: { toolName: string }) {
  const trpc = useTRPC();
  const { data } = useSuspenseQuery(trpc.tools.providerFormats.queryOptions({ name: toolName }));
  const [chosen, setChosen] = useQueryState("provider", parseAsStringLiteral(TOOL_FORMATS).withDefault("openai"));
  const [part, setPart] = useQueryState("part", parseAsStringLiteral(PARTS).withDefault("tool"));
  const format = data.find((candidate) => candidate.format === chosen);
  if (!format) return null;
  const bodyLabel = chosen === "mcp" ? "tools/list response" : "Request body";
  const text = part === "tool" ? format.text : format.bodyText;
  return (
    <div className="flex min-h-0 flex-1 flex-col bg-panel">
      <header className="flex min-h-11 flex-wrap items-center gap-2 border-line border-b px-3.5 py-1.5">
        <Segmented
          label="Provider"
          value={chosen}
          options={TOOL_FORMATS.map((value) => ({ value, label: LABELS[value] }))}
          onChange={(value) => void setChosen(value)}
          className="max-w-full flex-wrap"
        />
        <Segmented
          label="Show"
          value={part}
          options={[
            { value: "tool", label: "Tool" },
            { value: "body", label: bodyLabel },
          ]}
          onChange={(value) => void setPart(value)}
        />
        <span className="ml-auto">
          <CopyButton text={text} label={`Copy for ${LABELS[chosen]}`} />
        </span>
      </header>
      {format.notes.length > 0 && (
        <ul className="flex flex-col gap-1 border-line border-b bg-warn-bg px-3.5 py-2 text-warn text-xs">
          {format.notes.map((note) => (
            <li key={note}>
              <WithCode text={note} />
            </li>
          ))}
        </ul>
      )}
      {part === "body" && chosen !== "mcp" && (
        <p className="border-line border-b px-3.5 py-2 text-mute text-xs">
          The first request of a conversation that offers only this tool. The conversation sets{" "}
          <code className="font-mono">&lt;model&gt;</code> and <code className="font-mono">&lt;message&gt;</code>
          {chosen === "gemini" && "; the model is part of the URL"}.
        </p>
      )}
      <ScrollRegion
        label={`${part === "tool" ? "Definition" : bodyLabel} for ${LABELS[chosen]}`}
        className="min-h-0 flex-1 p-3.5"
      >
        <JsonText text={text} />
      </ScrollRegion>
    </div>
  );
}
