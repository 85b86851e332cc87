import { Card } from "@/app/_ui/card";
import { Link } from "@/app/_ui/link";

export interface ToolRankingProps {
  title: string;
  /** Heads of the two figures. */
  figures: readonly [string, string];
  rows: readonly { toolName: string; cells: readonly [string, string] }[];
  /** Said instead of an empty table. */
  nothing: string;
}

export function ToolRanking({ title, figures, rows, nothing }: ToolRankingProps) {
  return (
    <Card title={title}>
      {rows.length === 0 ? (
        <p className="px-3.5 py-3 text-mute">{nothing}</p>
      ) : (
        <table className="w-full table-fixed border-collapse">
          <thead>
            <tr className="text-mute text-xs">
              <th scope="col" className="px-3.5 py-1 text-left font-medium">
                Tool
              </th>
              {figures.map((figure) => (
                <th key={figure} scope="col" className="w-24 py-1 pr-3.5 text-right font-medium">
                  {figure}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ toolName, cells }) => (
              <tr key={toolName} className="border-line border-t">
                <th scope="row" className="truncate px-3.5 py-1.5 text-left font-normal">
                  <Link
                    href={`/tools/${encodeURIComponent(toolName)}`}
                    className="rounded-xs font-mono text-xs hover:underline"
                  >
                    {toolName}
                  </Link>
                </th>
                {figures.map((figure, at) => (
                  <td key={figure} className="py-1.5 pr-3.5 text-right font-mono text-xs tabular-nums">
                    {cells[at]}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}
