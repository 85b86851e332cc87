import { ClientFits } from "@/app/_components/clients/fit/client-fits";
import { SchemaNotes } from "@/app/_components/tools/summary/schema-notes";
import { ScrollRegion } from "@/app/_ui/scroll-region";
import type { ToolDetail } from "@/lib/contract/catalog-tool";
import type { JsonSchema } from "@/lib/contract/json";
import { type SchemaRow, schemaTree } from "@/lib/schema/describe/schema-tree";
import { DefinitionSummary } from "./definition-summary";
import { FormatsPane } from "./formats-pane";

/** The definition in a form for users, as it is stored, and as models and clients receive it. */
export function DefinitionTab({ tool }: { tool: ToolDetail }) {
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
          {tool.enabled && <ClientFits part={{ tool: tool.name }} className="mt-4" />}
        </div>
      </ScrollRegion>
      <FormatsPane toolName={tool.name} definition={tool.definition} />
    </div>
  );
}

interface SchemaRowsProps {
  schema: JsonSchema;
  /** Said where the schema names no parts. */
  empty?: string;
}

/** The parts of a schema as a tree of names and types. */
function SchemaRows({ schema, empty = "No parameters." }: SchemaRowsProps) {
  const rows = schemaTree(schema);
  if (rows.length === 0) return <p className="text-mute">{empty}</p>;
  return (
    <ul className="rounded-lg border border-line bg-panel px-2.5 py-2 font-mono text-xs leading-relaxed [overflow-wrap:anywhere]">
      {rows.map((row) => (
        <Row key={row.key} row={row} />
      ))}
    </ul>
  );
}

function Row({ row }: { row: SchemaRow }) {
  return (
    <li className="py-1">
      <span className="whitespace-pre text-faint" aria-hidden>
        {row.depth > 0 ? `${"   ".repeat(row.depth - 1)} └ ` : ""}
      </span>
      <span className="text-text">{row.name}</span> <span className="text-mute">{row.typeText}</span>
      {row.constraints !== null && <span className="text-mute"> {row.constraints}</span>}
      {row.required && <span className="text-bad"> required</span>}
      {row.recursive && <span className="text-mute"> (recursive)</span>}
      {row.defaultText !== null && <span className="text-mute"> = {row.defaultText}</span>}
      {row.description !== null && (
        <p dir="auto" className="pl-4 font-sans text-mute [overflow-wrap:anywhere]">
          {row.description}
        </p>
      )}
    </li>
  );
}
