import { SchemaNotes } from "@/app/_components/tools/summary/schema-notes";
import { CopyButton } from "@/app/_ui/copy-button";
import { JsonText } from "@/app/_ui/json-text";
import { ScrollRegion } from "@/app/_ui/scroll-region";
import type { ToolDetail } from "@/lib/contract/catalog-tool";
import { DefinitionSummary } from "./definition-summary";
import { SchemaRows } from "./schema-rows";

/** The definition as people read it and as it is stored. */
export function DefinitionTab({ tool }: { tool: ToolDetail }) {
  const text = JSON.stringify(tool.definition, null, 2);
  return (
    <div className="grid min-h-0 flex-1 grid-cols-1 overflow-auto max-lg:auto-rows-max lg:grid-cols-2 lg:overflow-hidden">
      <ScrollRegion label="Parameters" className="min-h-0 border-line lg:border-r">
        <DefinitionSummary tool={tool} />
        <div className="px-3.5 pb-3.5">
          <h2 className="mb-2 font-medium">Parameters</h2>
          <SchemaNotes notes={tool.schemaNotes} className="mb-2" />
          <SchemaRows schema={tool.definition.parameters} />
          {tool.definition.outputSchema !== undefined && (
            <>
              <h2 className="mt-4 mb-2 font-medium">Output</h2>
              <SchemaRows schema={tool.definition.outputSchema} empty="The output has no named properties." />
            </>
          )}
        </div>
      </ScrollRegion>
      <section aria-label="Definition as JSON" className="flex min-h-0 flex-col bg-panel">
        <header className="flex min-h-11 items-center gap-2 border-line border-b px-3.5">
          <h2 className="font-medium">JSON</h2>
          <span className="ml-auto">
            <CopyButton text={text} label="Copy definition" />
          </span>
        </header>
        <ScrollRegion label="Definition as JSON" className="min-h-0 flex-1 p-3.5">
          <JsonText text={text} />
        </ScrollRegion>
      </section>
    </div>
  );
}
