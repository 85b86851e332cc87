import { Eye, EyeOff } from "lucide-react";
import { IconButton } from "./button";

interface RevealButtonProps {
  /** The name of the secret, as it follows "Show". */
  of: string;
  revealed: boolean;
  disabled: boolean;
  onReveal: (revealed: boolean) => void;
}

/** Shows or hides the secret beside it. */
export function RevealButton({ of, revealed, disabled, onReveal }: RevealButtonProps) {
  const Icon = revealed ? EyeOff : Eye;
  return (
    <IconButton
      icon={Icon}
      label={`${revealed ? "Hide" : "Show"} ${of}`}
      aria-pressed={revealed}
      disabled={disabled}
      onClick={() => onReveal(!revealed)}
    />
  );
}
