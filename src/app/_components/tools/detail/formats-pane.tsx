import { useSuspenseQuery } from "@tanstack/react-query";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { Suspense } from "react";
import { WithCode } from "@/app/_components/tools/summary/schema-notes";
import { trpc } from "@/app/_trpc/client";
import { CopyButton } from "@/app/_ui/copy-button";
import { JsonText } from "@/app/_ui/json-text";
import { ScrollRegion } from "@/app/_ui/scroll-region";
import { Segmented } from "@/app/_ui/segmented";
import { Skeleton } from "@/app/_ui/skeleton";
// Imports this part alone: the whole contract would bring zod into the browser.
import { TOOL_FORMATS, type ToolDefinition, type ToolFormat } from "@/lib/contract/tool-definition";
import { formatJson } from "@/lib/json/format-json";

const LABELS: Record<ToolFormat, string> = {
  openai: "OpenAI",
  "openai-strict": "OpenAI strict",
  anthropic: "Anthropic",
  gemini: "Gemini",
  ollama: "Ollama",
  mcp: "MCP",
};

const PARTS = ["tool", "body"] as const;

const SHOWN = ["definition", ...TOOL_FORMATS] as const;

const LABEL_OF = { definition: "Definition", ...LABELS };

interface FormatsPaneProps {
  toolName: string;
  definition: ToolDefinition;
}

/** The definition as it is stored, and as each model API and MCP client is sent it. */
export function FormatsPane({ toolName, definition }: FormatsPaneProps) {
  const [provider, setProvider] = useQueryState("provider", parseAsStringLiteral(SHOWN).withDefault("definition"));
  return (
    <section aria-label="Definition as JSON" className="flex min-h-0 min-w-0 flex-col bg-panel">
      <header className="flex min-h-11 flex-wrap items-center gap-2 border-line border-b px-3.5 py-1.5">
        <Segmented
          label="Show as"
          value={provider}
          options={LABEL_OF}
          onChange={setProvider}
          className="max-w-full flex-wrap"
        />
      </header>
      {provider === "definition" ? (
        <Text text={formatJson(definition)} label="Definition as JSON" copyLabel="Copy definition" />
      ) : (
        <Suspense fallback={<Skeleton className="m-3.5 h-40" />}>
          <ProviderFormat toolName={toolName} provider={provider} />
        </Suspense>
      )}
    </section>
  );
}

function Text({ text, label, copyLabel }: { text: string; label: string; copyLabel: string }) {
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <CopyButton text={text} label={copyLabel} className="absolute top-2 right-3.5 z-10 bg-panel" />
      <ScrollRegion label={label} className="min-h-0 flex-1 p-3.5">
        <JsonText text={text} />
      </ScrollRegion>
    </div>
  );
}

/** The tool alone, or the whole message with it. */
function ProviderFormat({ toolName, provider }: { toolName: string; provider: ToolFormat }) {
  const { data } = useSuspenseQuery(trpc.tools.providerFormats.queryOptions({ name: toolName }));
  const [part, setPart] = useQueryState("part", parseAsStringLiteral(PARTS).withDefault("tool"));
  const format = data.find((candidate) => candidate.format === provider);
  if (!format) return null;
  const bodyLabel = provider === "mcp" ? "tools/list response" : "Request body";
  return (
    <>
      <div className="flex min-h-11 items-center border-line border-b px-3.5 py-1.5">
        <Segmented label="Show" value={part} options={{ tool: "Tool", body: bodyLabel }} onChange={setPart} />
      </div>
      {format.notes.length > 0 && (
        <ul className="flex flex-col gap-1 border-line border-b bg-rail px-3.5 py-2 text-mute text-xs">
          {format.notes.map((note) => (
            <li key={note}>
              <WithCode text={note} />
            </li>
          ))}
        </ul>
      )}
      {part === "body" && provider !== "mcp" && (
        <p className="border-line border-b px-3.5 py-2 text-mute text-xs">
          The first request of a conversation that offers only this tool. The conversation sets{" "}
          <code className="font-mono">&lt;model&gt;</code> and <code className="font-mono">&lt;message&gt;</code>
          {provider === "gemini" && "; the model is part of the URL"}.
        </p>
      )}
      <Text
        text={part === "tool" ? format.text : format.bodyText}
        label={`${part === "tool" ? "Definition" : bodyLabel} for ${LABELS[provider]}`}
        copyLabel={`Copy for ${LABELS[provider]}`}
      />
    </>
  );
}
