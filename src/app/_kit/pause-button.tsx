import { Pause, Play } from "lucide-react";
import { Button } from "@/app/_ui/button";

interface PauseButtonProps {
  paused: boolean;
  onToggle: () => void;
  resumeLabel: string;
  size?: "sm" | "md";
}

/** Pauses a list that grows, so that it can be read. */
export function PauseButton({ paused, onToggle, resumeLabel, size = "sm" }: PauseButtonProps) {
  return (
    <Button icon={paused ? Play : Pause} size={size} aria-pressed={paused} onClick={onToggle}>
      {paused ? resumeLabel : "Pause"}
    </Button>
  );
}
