import { useState } from "react";
import { JsonText } from "@/app/_ui/json-text";
import { ShowMore } from "@/app/_ui/show-more";
import type { TokenCost, ToolsetPreview } from "@/lib/contract/toolset";
import { formatCount } from "@/lib/format";

const STEP = 12;

const LABELS: Record<TokenCost["format"], string> = {
  openai: "OpenAI",
  anthropic: "Anthropic",
  gemini: "Gemini",
  ollama: "Ollama",
  mcp: "MCP client",
};

/** The tools as a client lists them, and the estimated cost of their definitions in every request. */
export function ClientPreview({ preview, discovery }: { preview: ToolsetPreview; discovery: boolean }) {
  const [limit, setLimit] = useState(STEP);
  const tools = preview.served;
  return (
    <section aria-label="Preview" className="border-line border-t pt-3">
      <h3 className="mb-1 flex items-baseline justify-between gap-2 font-medium">
        What clients get <span className="font-normal text-mute text-xs">tokens</span>
      </h3>
      <ul aria-label="Tools for clients" className="flex flex-col">
        {tools.slice(0, limit).map((tool) => (
          <li key={tool.name}>
            <details>
              <summary className="flex items-baseline justify-between gap-2 rounded-xs py-1">
                <span className="mr-auto min-w-0 truncate font-mono text-xs">{tool.name}</span>
                <span className="shrink-0 font-mono text-mute text-xs tabular-nums">{formatCount(tool.tokens)}</span>
              </summary>
              <p dir="auto" className="whitespace-pre-line text-mute text-xs [overflow-wrap:anywhere]">
                {tool.description}
              </p>
              <p className="mb-1 font-mono text-xs [overflow-wrap:anywhere]">
                {tool.arguments.length === 0 ? "No arguments" : tool.arguments.join(", ")}
              </p>
              <JsonText
                text={JSON.stringify(JSON.parse(tool.entryText), null, 2)}
                label={`Entry of ${tool.name}`}
                wrap
                className="mb-1 max-h-60 rounded-md border border-line p-2"
              />
            </details>
          </li>
        ))}
      </ul>
      <ShowMore rest={tools.length - limit} onMore={() => setLimit(limit + STEP)} />
      {tools.length === 0 && <p className="text-mute text-xs">No tools.</p>}
      <CostTable preview={preview} discovery={discovery} />
    </section>
  );
}

function CostTable({ preview, discovery }: { preview: ToolsetPreview; discovery: boolean }) {
  return (
    <>
      <table aria-label="Token cost" className="mt-2 w-full border-line border-t text-left">
        <thead>
          <tr className="text-mute text-xs">
            <th scope="col" className="pt-2 pb-1 font-normal">
              Tokens in each request
            </th>
            <th scope="col" className="pb-1 text-right font-normal">
              {discovery ? "With discovery" : <span className="sr-only">Tokens</span>}
            </th>
            {discovery && (
              <th scope="col" className="pb-1 text-right font-normal">
                Without
              </th>
            )}
          </tr>
        </thead>
        <tbody className="tabular-nums">
          {preview.cost.map(({ format, tokens, allTokens }) => (
            <tr key={format}>
              <th scope="row" className="py-0.5 font-normal">
                {LABELS[format]}
              </th>
              <td className="py-0.5 text-right font-mono text-xs">≈ {formatCount(tokens)}</td>
              {discovery && (
                <td className="py-0.5 text-right font-mono text-mute text-xs">≈ {formatCount(allTokens)}</td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      <p className="mt-1 text-mute text-xs">Estimated with four characters per token.</p>
    </>
  );
}
