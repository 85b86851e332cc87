import { CopyButton } from "@/app/_ui/copy-button";
import { ScrollRegion } from "@/app/_ui/scroll-region";

interface SecretTextProps {
  /** The name of the secret: `Link`. */
  label: string;
  text: string;
}

/** A text to be copied, in full. */
export function SecretText({ label, text }: SecretTextProps) {
  return (
    <div>
      <p className="mb-1 font-medium">{label}</p>
      <div className="flex items-start rounded-lg border border-line2 bg-bg">
        <ScrollRegion label={label} className="min-w-0 flex-1 px-3 py-1.5">
          <pre className="whitespace-pre-wrap font-mono text-xs leading-5 [overflow-wrap:anywhere]">{text}</pre>
        </ScrollRegion>
        <CopyButton text={text} label={`Copy ${label.charAt(0).toLowerCase()}${label.slice(1)}`} />
      </div>
    </div>
  );
}
