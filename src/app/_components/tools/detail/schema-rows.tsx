import type { JsonSchema } from "@/lib/contract/json";
import { type SchemaRow, schemaTree } from "@/lib/schema/describe/schema-tree";

export interface SchemaRowsProps {
  schema: JsonSchema;
  /** Said where the schema names no parts. */
  empty?: string;
}

/** The parts of a schema as a tree of names and types. */
export function SchemaRows({ schema, empty = "No parameters." }: SchemaRowsProps) {
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
