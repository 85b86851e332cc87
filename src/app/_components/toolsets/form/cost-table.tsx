import type { TokenCost, ToolsetPreview } from "@/lib/contract/toolset";
import { formatCount } from "@/lib/format";

const LABELS: Record<TokenCost["format"], string> = {
  openai: "OpenAI",
  anthropic: "Anthropic",
  gemini: "Gemini",
  ollama: "Ollama",
  mcp: "MCP client",
};

/** Shows the cost of the definitions in every request, by recipient. */
export function CostTable({ preview, discovery }: { preview: ToolsetPreview; discovery: boolean }) {
  return (
    <div className="border-line border-t pt-3">
      <table aria-label="Token cost" className="w-full text-left">
        <thead>
          <tr className="text-mute text-xs">
            <th scope="col" className="pb-1 font-normal">
              Definitions for
            </th>
            <th scope="col" className="pb-1 text-right font-normal">
              Tokens
            </th>
            {discovery && (
              <th scope="col" className="pb-1 text-right font-normal">
                Without discovery
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
      <p className="mt-2 text-mute text-xs">
        Estimated with four characters per token, for each request that has the tools.
      </p>
    </div>
  );
}
