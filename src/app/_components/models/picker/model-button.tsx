import { ChevronsUpDown } from "lucide-react";
import type { ComponentProps } from "react";
import { Badge } from "@/app/_ui/badge";
import { cx } from "@/app/_ui/class-names";
import type { ModelChoice } from "@/lib/contract/model";

export interface PickedModel {
  provider: string;
  model: string;
}

interface ModelButtonProps extends Omit<ComponentProps<"button">, "value"> {
  value: PickedModel;
  choice: ModelChoice | null;
  "data-field"?: string | undefined;
}

/** The chosen model and its known facts. */
export function ModelButton({ value, choice, className, ...native }: ModelButtonProps) {
  const { provider, model } = value;
  const named = model !== "";
  return (
    <button
      {...native}
      type="button"
      className={cx(
        "flex min-h-8 w-full min-w-0 items-center gap-2 rounded-md border border-edge bg-panel px-2.5 py-1 text-left hover:bg-rail",
        className,
      )}
    >
      <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2 gap-y-0.5">
        {named ? (
          <>
            <span className="max-w-full truncate font-medium font-mono text-xs">
              <span className="sr-only">Model: </span>
              {model}
            </span>{" "}
            {choice?.kind !== "demo" && <span className="text-mute text-xs">{provider}</span>}{" "}
          </>
        ) : (
          <span className="text-mute">Choose a model</span>
        )}
        {choice?.kind === "demo" && <Badge title="Rules, not a language model">demo</Badge>}
      </span>
      <ChevronsUpDown size={13} className="shrink-0 text-mute" />
    </button>
  );
}
