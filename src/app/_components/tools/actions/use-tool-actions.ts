import { type ActionOptions, guess, useAction } from "@/app/_kit/use-action";
import { trpc } from "@/app/_trpc/client";
import type { ToolSummary } from "@/lib/contract/catalog-tool";
import type { ListedTool, ToolPage } from "@/lib/contract/tool-list";
import type { ToolActions } from "./tool-menu";

interface ToolActionOptions {
  /** Shows why an action did not succeed; null once another one begins. */
  report: NonNullable<ActionOptions<unknown, unknown>["report"]>;
  onRemoved?: () => void;
  onRestored?: (name: string) => void;
  /** The list that shows the tools, where there is one. */
  list?: ReturnType<typeof trpc.tools.list.infiniteQueryKey>;
}

/** The actions on a tool, for the list and for its page. */
export function useToolActions({ report, onRemoved, onRestored, list }: ToolActionOptions): ToolActions {
  const { tools } = trpc;
  const common = { stale: [tools], report };
  const restore = useAction(tools.restore, {
    ...common,
    failed: "Couldn't restore the tool",
    done: ({ name }) => `${name} restored`,
    onDone: ({ name }) => onRestored?.(name),
  });
  const remove = useAction(tools.delete, {
    ...common,
    failed: ({ name }) => `Couldn't delete ${name}`,
    done: ({ id }, { name }) => ({
      title: `${name} deleted`,
      tone: "neutral",
      action: { label: "Undo", onClick: () => restore.mutate({ id }) },
    }),
    onDone: onRemoved,
  });
  const setEnabled = useAction(tools.setEnabled, {
    ...common,
    failed: ({ name, enabled }) => `Couldn't ${enabled ? "enable" : "disable"} ${name}`,
    guesses: (input) => (list === undefined ? [] : [guess(list, (known) => switchTool(known, input))]),
  });
  return {
    setEnabled: (tool, enabled) => setEnabled.mutate({ name: tool.name, enabled }),
    remove: (tool) => remove.mutate({ name: tool.name, revision: tool.lastEdit?.revision }),
  };
}

function switchTool<Known extends { pages: ToolPage[] }>(
  known: Known,
  { name, enabled }: Pick<ToolSummary, "name" | "enabled">,
): Known {
  const change = (tool: ListedTool): ListedTool => (tool.name === name ? { ...tool, enabled } : tool);
  return { ...known, pages: known.pages.map((page) => ({ ...page, items: page.items.map(change) })) };
}
