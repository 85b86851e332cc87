"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { useTRPC } from "@/app/_trpc/client";
import { CopyButton } from "@/app/_ui/copy-button";
import { JsonText } from "@/app/_ui/json-text";
import { ScrollRegion } from "@/app/_ui/scroll-region";
import { Segmented } from "@/app/_ui/segmented";
// Not the whole contract: its schemas would bring zod into the browser.
import { PROVIDERS, type Provider } from "@/lib/contract/tool-definition";

const LABELS: Record<Provider, string> = {
  openai: "OpenAI",
  anthropic: "Anthropic",
  gemini: "Gemini",
  ollama: "Ollama",
};

/** What each model API is sent for this tool. */
export function FormatsTab({ toolName }: { toolName: string }) {
  const trpc = useTRPC();
  const { data } = useSuspenseQuery(trpc.tools.providerFormats.queryOptions({ name: toolName }));
  const [provider, setProvider] = useQueryState("provider", parseAsStringLiteral(PROVIDERS).withDefault("openai"));
  const format = data.find((candidate) => candidate.provider === provider);
  if (!format) return null;
  return (
    <div className="flex min-h-0 flex-1 flex-col bg-panel">
      <header className="flex min-h-11 flex-wrap items-center gap-2 border-line border-b px-3.5 py-1.5">
        <Segmented
          label="Provider"
          value={provider}
          options={PROVIDERS.map((value) => ({ value, label: LABELS[value] }))}
          onChange={(value) => void setProvider(value)}
        />
        <span className="ml-auto">
          <CopyButton text={format.text} label={`Copy for ${LABELS[provider]}`} />
        </span>
      </header>
      {format.notes.length > 0 && (
        <ul className="flex flex-col gap-1 border-line border-b bg-warn-bg px-3.5 py-2 text-warn text-xs">
          {format.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      <ScrollRegion label={`Definition for ${LABELS[provider]}`} className="min-h-0 flex-1 p-3.5">
        <JsonText text={format.text} />
      </ScrollRegion>
    </div>
  );
}
