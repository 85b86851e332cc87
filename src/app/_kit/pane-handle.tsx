import { type KeyboardEvent, type PointerEvent, useRef, useState } from "react";
import { cx } from "@/app/_ui/class-names";
import type { PaneName } from "./preferences";
import { usePreferences } from "./preferences-provider";

/** The widths that the keyboard reaches, in percent; the style of a pane may allow less. */
const LEAST = 15;
const MOST = 85;
const STEP = 2;
const LARGE_STEP = 10;

interface PaneHandleProps {
  pane: PaneName;
  /** The pane that the handle resizes: `Resize the arguments`. */
  label: string;
  /** The position of the resized pane. */
  resizes: "before" | "after";
  /** Classes that hide the handle on narrow screens, where the panes are stacked. */
  className?: string;
}

/**
 * The line between two panes, which a user drags or moves with the arrow keys; Enter and a double press give the pane
 * its own width again. The pane takes its width from `--pane-<name>`, which the server renders from the preferences.
 */
export function PaneHandle({ pane, label, resizes, className }: PaneHandleProps) {
  const { preferences, change } = usePreferences();
  const handle = useRef<HTMLDivElement>(null);
  const [measured, setMeasured] = useState<number | null>(null);

  function measure(): number {
    const line = handle.current;
    const resized = resizes === "before" ? line?.previousElementSibling : line?.nextElementSibling;
    const whole = line?.parentElement?.getBoundingClientRect().width ?? 0;
    return whole === 0 || !resized ? LEAST : Math.round((resized.getBoundingClientRect().width / whole) * 100);
  }

  /** @returns the width that the pane has now, which its least and largest width may have limited */
  function resize(share: number): number {
    const wanted = Math.min(MOST, Math.max(LEAST, Math.round(share)));
    document.documentElement.style.setProperty(`--pane-${pane}`, `${wanted}%`);
    const now = Math.min(MOST, Math.max(LEAST, measure()));
    setMeasured(now);
    return now;
  }

  const save = (share: number): void => change({ panes: { ...preferences.panes, [pane]: share } });

  function reset(): void {
    const { [pane]: _own, ...others } = preferences.panes;
    document.documentElement.style.setProperty(`--pane-${pane}`, "initial");
    setMeasured(measure());
    change({ panes: others });
  }

  function onPointerMove({ clientX, currentTarget, pointerId }: PointerEvent<HTMLDivElement>): void {
    if (!currentTarget.hasPointerCapture(pointerId)) return;
    const box = currentTarget.parentElement?.getBoundingClientRect();
    if (box === undefined) return;
    resize(((resizes === "before" ? clientX - box.left : box.right - clientX) / box.width) * 100);
  }

  function onPointerDown(event: PointerEvent<HTMLDivElement>): void {
    if (event.button !== 0) return;
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    event.currentTarget.focus();
  }

  function onKeyDown(event: KeyboardEvent): void {
    const step = event.shiftKey ? LARGE_STEP : STEP;
    const right = resizes === "before" ? step : -step;
    const now = measure();
    const targets: Record<string, number> = {
      ArrowRight: now + right,
      ArrowLeft: now - right,
      Home: LEAST,
      End: MOST,
    };
    const target = Object.hasOwn(targets, event.key) ? targets[event.key] : undefined;
    if (target === undefined && event.key !== "Enter") return;
    event.preventDefault();
    if (target === undefined) reset();
    else save(resize(target));
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: an hr cannot be focused or moved
    <div
      ref={handle}
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={label}
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      aria-valuenow={measured ?? preferences.panes[pane] ?? (LEAST + MOST) / 2}
      title="Drag, or use the arrow keys. Double-click to reset."
      onFocus={() => setMeasured(measure())}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onLostPointerCapture={() => save(measure())}
      onDoubleClick={reset}
      className={cx(
        "relative z-20 -mx-1 w-2 shrink-0 cursor-col-resize touch-none",
        "after:absolute after:inset-y-0 after:left-0.75 after:w-0.5 hover:after:bg-accent focus-visible:outline-none focus-visible:after:bg-accent",
        className,
      )}
    />
  );
}
