import { Pause, Play } from "lucide-react";
import { Button } from "@/app/_ui/button";

const ICON = { size: 13, strokeWidth: 1.6, "aria-hidden": true } as const;

export interface PauseButtonProps {
  paused: boolean;
  onToggle: () => void;
  /** The button's text while paused. */
  resumeLabel: string;
  size?: "sm" | "md";
}

/** Holds a list that grows, so that it can be read. */
export function PauseButton({ paused, onToggle, resumeLabel, size = "sm" }: PauseButtonProps) {
  return (
    <Button size={size} aria-pressed={paused} onClick={onToggle}>
      {paused ? <Play {...ICON} /> : <Pause {...ICON} />}
      {paused ? resumeLabel : "Pause"}
    </Button>
  );
}
