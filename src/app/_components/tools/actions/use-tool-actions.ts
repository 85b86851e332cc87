import { type ActionOptions, guess, useAction } from "@/app/_kit/use-action";
import { trpc } from "@/app/_trpc/client";
import type { ToolActions } from "./tool-menu";

interface ToolActionOptions {
  /** Shows why an action did not succeed; null once another one begins. */
  report: NonNullable<ActionOptions<unknown, unknown>["report"]>;
  onRemoved?: () => void;
  onRestored?: (name: string) => void;
}

/** The actions on a tool, for the list and for its page. */
export function useToolActions({ report, onRemoved, onRestored }: ToolActionOptions): ToolActions {
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
    guesses: ({ name, enabled }) => [
      guess(tools.list.queryKey(), (list) => ({
        ...list,
        items: list.items.map((tool) => (tool.name === name ? { ...tool, enabled } : tool)),
      })),
    ],
  });
  return {
    setEnabled: (tool, enabled) => setEnabled.mutate({ name: tool.name, enabled }),
    remove: (tool) => remove.mutate({ name: tool.name, revision: tool.lastEdit?.revision }),
  };
}
